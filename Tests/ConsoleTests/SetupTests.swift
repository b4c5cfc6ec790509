import Crypto
import HTTP
import Platform
import Registry
import SignIn
import TestSupport
import Testing

@testable import Console

@Suite(.environment) struct `The first set-up` {
    private static func form(_ email: String, team: String = "") -> [(String, String)] {
        [
            ("given_name", "Olive"), ("family_name", "Branch"), ("email", email), ("password", "olives-grow-slowly"),
            ("team_name", "Orchard"), ("team_id", team), ("mode", "sandbox"),
        ]
    }

    private func link() async throws -> String {
        let token = try #require(try await SetupLinkStore(environment.parts.system).issue(at: environment.now))
        return ConsoleRoutes.setup.link(token.text)
    }

    @Test func `a link makes an operator and their team, and signs them in`() async throws {
        let link = try await link()
        var olive = Browser()

        let asked = try await olive.get(link)
        let done = try await olive.post(link, Self.form("olive@pippin.example", team: "ORCHARD001"))
        let overview = try await olive.get(try #require(done.location))
        let again = try await olive.get(link)

        #expect(asked.status == 200)
        #expect(done.status == 303)
        #expect(done.location == "/console/ORCHARD001")
        #expect(overview.status == 200)
        #expect(overview.text.contains("Olive Branch") && overview.text.contains("/console/teams/new"))
        #expect(again.status == 410)
        #expect(try environment.admin("SELECT team_id FROM signing_keys") == [["ORCHARD001"]])
        let hash = try #require(try environment.admin("SELECT hash FROM passwords")[0][0])
        #expect(hash.hasPrefix("$argon2id$"))
    }

    @Test func `is what the console asks for until there is an operator, and never afterwards`() async throws {
        var stranger = Browser()

        let before = try await stranger.get("/console")
        let posted = try await stranger.post("/console/teams", [])
        _ = try await environment.signedIn("Olive", [.system: .operator])
        let after = try await stranger.get("/console")

        #expect(before.status == 503 && posted.status == 503)
        #expect(before.text.contains("Pippin is not set up yet"))
        #expect(before.text.contains("<code>pippin setup-link</code>"))
        #expect(!before.text.contains("/setup/"))
        #expect(after.status == 303 && after.location?.contains("/account/session") == true)
    }

    @Test func `of many who use one link at once one gets through`() async throws {
        let link = try await link()

        let answers = try await race(8) { index in
            var browser = Browser()
            guard try await browser.get(link).status == 200 else { return 410 }
            return try await browser.post(link, Self.form("olive\(index)@pippin.example")).status
        }

        #expect(answers.count { $0 == 303 } == 1)
        #expect(answers.count { $0 == 410 } == 7)
        #expect(try environment.count("memberships WHERE role = 'operator'") == 1)
        #expect(try environment.count("users WHERE team_id = 'PIPPIN0000'") == 1)
        #expect(try environment.count("teams") == 4)
    }

    @Test func `a refused form keeps what was typed but the password, and the link`() async throws {
        let link = try await link()
        var olive = Browser()
        _ = try await olive.get(link)

        var short = Self.form("olive@pippin.example")
        short[3].1 = "sh0rt"
        let weak = try await olive.post(link, short)
        let taken = try await olive.post(link, Self.form("olive@pippin.example", team: "ACMETEAM01"))
        let stale = try await olive.post(link, Self.form("olive@pippin.example"), csrf: "wrong")
        let done = try await olive.post(link, Self.form("olive@pippin.example"))

        #expect(weak.status == 422)
        #expect(weak.text.contains("Use at least 12 characters") && weak.text.contains("Orchard"))
        #expect(!weak.text.contains("sh0rt"))
        #expect(taken.status == 422)
        #expect(taken.text.contains("This ID is taken"))
        #expect(stale.status == 403)
        #expect(done.status == 303)
    }
}
