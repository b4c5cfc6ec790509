import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// Decisions that a lock protects are made on what is read after the lock: each window is widened by holding the person.
@Suite struct `A decision about somebody whom another transaction holds` {
    private static let rita = Performer.regular.subject.rawValue

    /// A change made by whoever holds the person.
    private static func change(_ statement: String, _ values: String?...) -> (String, [String?]) { (statement, values) }

    @Test(.apple, arguments: [[], ["UPDATE users SET suspended_at = now() WHERE sub = $1"]])
    func `S41, V54: connects nothing once the session has ended, by a suspension or otherwise`(_ ends: [String])
        async throws
    {
        let browser = try site.signedIn()
        let back = try browser.connectUntilBack(.regular)
        let exchange = try await site.teams.hold(
            site.ada, while: { try browser.set(out: back) },
            then: (ends + ["DELETE FROM sessions WHERE sub = $1"]).map { Self.change($0, site.ada) })
        #expect(try exchange.answer().status != 200)
        #expect(try site.identities().isEmpty)
    }

    @Test(.apple) func `S41, V54: parts from Apple only while another way to sign in is left`() async throws {
        let browser = try site.connected(.regular)
        let page = try browser.get("\(Browser.account)/apple").form(to: "/account/apple/removal")
        let csrf = try #require(page.value(of: "csrf"))
        let action = page.action
        let exchange = try await site.teams.hold(
            site.ada, while: { try browser.set(out: action, posting: [("csrf", csrf)]) },
            then: [Self.change("DELETE FROM passwords WHERE sub = $1", site.ada)])
        _ = try exchange.answer()
        #expect(try site.identities().count == 1)
    }

    @Test(.notifications)
    func `S41, V54: of an account that was connected meanwhile, ends what came by way of it alone`() async throws {
        let token = try site.tokens()
        let exchange = try await site.teams.hold(
            Self.rita, while: { try site.setOut(site.event("consent-revoked")) },
            then: [
                Self.change("UPDATE upstream_identities SET linked_at = now()"),
                Self.change("UPDATE refresh_tokens SET provider = NULL"),
            ])
        #expect(try exchange.answer().status == 200)
        #expect(try site.isAlive(token))
    }

    @Test(.notifications) func `S41, V54: deletes nobody who has a password by then`() async throws {
        _ = try site.tokens()
        let exchange = try await site.teams.hold(
            Self.rita, while: { try site.setOut(site.event("account-delete")) },
            then: [
                Self.change(
                    "INSERT INTO passwords SELECT (jsonb_populate_record(p, jsonb_build_object('sub', $1::text))).* FROM passwords p WHERE sub = $2",
                    Self.rita, site.ada)
            ])
        #expect(try exchange.answer().status == 200)
        #expect(try site.count("users", of: Performer.regular.subject, in: .acme) == 1)
    }

    @Test(.apple) func `S41, V54: ends nothing where the token that was asked about has been given back`() async throws
    {
        let browser = site.browser()
        _ = try site.tokens()
        try browser.openAccount(.regular)
        site.clock.advance(by: .seconds(2 * 86_400))
        let alone =
            "DELETE FROM upstream_tokens WHERE token_id <> (SELECT token_id FROM upstream_tokens ORDER BY 1 LIMIT 1)"
        try site.admin(alone)
        try site.admin("UPDATE refresh_tokens SET revoked_at = now() WHERE team_id = 'APPLESIM00'")
        try await site.withProcess { process in
            let round = try await site.teams.hold(
                Self.rita, while: { Task { try await process.validate() } },
                then: [Self.change("UPDATE upstream_tokens SET state = 'ending'")])
            try await round.value
            try await site.wait { try site.tokenStates() == ["revoked"] }
        }
        #expect(try site.identityStates() == ["authorized"])
        #expect(try !site.actions().contains("upstream_authorization.ended"))
    }

    @Test(.site) func `S41, V54: uses a mailed link up in the order in which a suspension ends it`() async throws {
        let browser = site.browser()
        _ = try browser.askForHelp("ada@acme.example", link: false)
        let page = try browser.get(try site.link())
        let (action, csrf) = (try #require(page.action), try #require(page.value(of: "csrf")))
        let exchange = try await site.teams.hold(
            site.ada,
            while: { try browser.set(out: action, posting: [("csrf", csrf), ("new", "a wholly other secret")]) },
            // Whoever used the link up before holding the person would be waited for here, and wait.
            then: [Self.change("DELETE FROM mailed_links WHERE sub = $1", site.ada)])
        #expect(try exchange.answer().status == 410)
    }

    @Test(.apple) func `S37, V54: deletes nobody who has left the app by then`() async throws {
        _ = try site.tokens()
        let form = [
            "client_id": ClientID.web.rawValue, "client_secret": try site.teams.secret(of: .web), "sub": Self.rita,
        ]
        let exchange = try await site.teams.hold(
            Self.rita, while: { try site.setOut("/t/ACMETEAM01/auth/delete-account", form) },
            then: [
                Self.change("DELETE FROM consents WHERE team_id = 'ACMETEAM01'"),
                Self.change("UPDATE refresh_tokens SET revoked_at = now() WHERE team_id = 'ACMETEAM01'"),
            ])
        #expect(try exchange.answer().status == 400)
        #expect(try site.count("users", of: Performer.regular.subject, in: .acme) == 1)
    }
}

extension Browser {
    /// Sends a form without waiting for the answer.
    func set(out path: String, posting form: [(String, String)]) throws -> Exchange {
        let body = FormCoding.encode(form.map { (name: $0.0, value: $0.1) })
        return try Exchange(port: port, "POST", path, [TestSite.form, cookieField] + TestSite.ownOrigin, body: body)
    }

    /// Asks without waiting for the answer.
    func set(out path: String) throws -> Exchange { try Exchange(port: port, "GET", path, [cookieField]) }
}

extension TestSite {
    /// Posts a form of an app without waiting for the answer.
    func setOut(_ path: String, _ form: [String: String]) throws -> Exchange {
        let body = FormCoding.encode(form.map { (name: $0.key, value: $0.value) })
        return try Exchange(port: port, "POST", path, [Self.form], body: body)
    }

    /// Posts a notice as Apple does, without waiting for the answer.
    func setOut(_ events: JSONValue, id: String = "notice-1") throws -> Exchange {
        try Exchange(
            port: port, "POST", `Apple's notifications`.path, ["Content-Type: application/json"],
            body: try notificationBody(events, id: id))
    }
}
