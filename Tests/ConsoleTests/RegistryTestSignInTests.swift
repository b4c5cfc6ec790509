import Core
import Crypto
import Directory
import Platform
import SignIn
import TestTeams
import Testing

@testable import Console

@Suite(.environment) struct `Trying a sign-in` {
    private static let service = "/console/ACMETEAM01/service-ids/com.acme.web"
    private static let bothScopes = [("name", "yes"), ("email", "yes"), ("responseMode", "form_post")]

    /// A developer of Acme whose browser also has a session of Ada's, a user of Acme.
    private func developer(requiresPKCE: Bool = false) async throws -> Browser {
        _ = try await environment.addAcmeWeb(requiresPKCE: requiresPKCE)
        try await environment.addSigningKey()
        var browser = try await environment.signedIn("Ben", [TeamID.acme: .developer])
        let ada = try await environment.add("Ada", to: .acme)
        let token = try await environment.parts.sessions.begin(
            for: ada, in: .acme, from: TestEnvironment.origin, at: environment.now)
        browser.cookies["pippin-ACMETEAM01"] = token.text
        return browser
    }

    /// Begins a trial and decides on the sheet; what comes is the exit page.
    private func signIn(
        _ browser: inout Browser, _ form: [(String, String)] = bothScopes,
        deciding decision: [(String, String)] = [("given_name", "Ada"), ("email_choice", "share")]
    ) async throws -> Browser.Answer {
        let begun = try await browser.post("\(Self.service)/test-sign-ins", form)
        let interaction = try await browser.follow(begun)
        let sheet = try await browser.follow(interaction)
        let action = try #require(sheet.text.between("<form method=\"post\" action=\"", "\""))
        let token = try #require(sheet.text.between("name=\"csrf\" value=\"", "\""))
        return try await browser.post(action, decision, csrf: token)
    }

    /// Sends what the exit page holds, as its script does: without a token.
    private func submit(_ exit: Browser.Answer, _ browser: inout Browser) async throws -> Browser.Answer {
        let target = try #require(exit.text.between("action=\"\(environment.publicURL)", "\""))
        var fields: [(String, String)] = []
        for input in exit.text.split(separator: "<input ").dropFirst() {
            let input = String(input)
            guard let name = input.between("name=\"", "\""), let value = input.between("value=\"", "\"") else {
                continue
            }
            fields.append((name, value.unescaped))
        }
        return try await browser.post(target, fields, csrf: "none of ours")
    }

    @Test func `a test sign-in goes from the form to a verified id_token`() async throws {
        var ben = try await developer(requiresPKCE: true)
        #expect(try await ben.get("\(Self.service)/test-sign-ins/new").text.contains("Try a sign-in"))

        let exit = try await signIn(&ben)
        let answered = try await submit(exit, &ben)
        let page = try await ben.follow(answered)

        #expect(page.status == 200)
        #expect(page.text.contains("Worked"))
        for step in [
            "Your app sends", "comes back", "signs a client secret", "redeems the code", "checks the id_token",
        ] { #expect(page.text.contains(step)) }
        #expect(page.text.contains("ada@acme.example") && page.text.contains("firstName"))
        #expect(try environment.allActions(in: .acme).contains("test_sign_in.started"))
        #expect(try environment.allActions(in: .acme).contains("test_sign_in.completed"))
        #expect(!(try environment.allActions(in: .acme).contains("client.first_redemption")))
        #expect(try environment.admin("SELECT delivered_at FROM consents") == [[nil]])
        #expect(try environment.identifiers("url", of: "return_urls") == ["https://acme.example/back"])
    }

    @Test func `a second answer changes nothing`() async throws {
        var ben = try await developer()
        let exit = try await signIn(&ben)
        _ = try await submit(exit, &ben)

        let again = try await submit(exit, &ben)

        #expect(try await ben.follow(again).text.contains("Worked"))
        #expect(try environment.allActions(in: .acme).filter { $0 == "test_sign_in.completed" }.count == 1)
        #expect(!(try environment.allActions(in: .acme).contains("code.replayed")))
    }

    @Test func `without a scope the answer may come in the address`() async throws {
        var ben = try await developer()

        let exit = try await signIn(&ben, [("responseMode", "query")])
        let link = try #require(exit.text.between("href=\"\(environment.publicURL)/console", "\"")).unescaped
        let page = try await ben.follow(try await ben.get("/console\(link)"))

        #expect(page.text.contains("Worked") && page.text.contains("GET to the return URL"))
        let refused = try await ben.post("\(Self.service)/test-sign-ins", [("name", "yes"), ("responseMode", "query")])
        #expect(refused.status == 422)
        #expect(refused.text.contains("answered by form_post only"))
    }

    @Test func `cancelling is a step, too`() async throws {
        var ben = try await developer()

        let exit = try await signIn(&ben, deciding: [("decision", "cancel")])
        let page = try await ben.follow(try await submit(exit, &ben))

        #expect(page.text.contains("Cancelled") && page.text.contains("user_cancelled_authorize"))
    }

    @Test func `an answer with another state is not believed`() async throws {
        var ben = try await developer()
        let begun = try await ben.post("\(Self.service)/test-sign-ins", Self.bothScopes)
        let id = try #require(begun.location?.between("test-sign-ins%2F", "%2F"))

        let answered = try await ben.post(
            "/console/ACMETEAM01/test-sign-ins/\(id)/callback", [("code", "c.0.made-up"), ("state", "guessed\u{0}")])
        let page = try await ben.follow(answered)

        #expect(page.text.contains("Failed") && page.text.contains("state is not the one that was sent"))
    }

    @Test func `V40, V45: a test sign-in exists for the session that began it alone`() async throws {
        var ben = try await developer()
        var other = try await environment.signedIn("Olive", [TeamID.acme: .owner, TeamID.rival: .owner])
        let begun = try await ben.post("\(Self.service)/test-sign-ins", Self.bothScopes)
        let id = try #require(begun.location?.between("test-sign-ins%2F", "%2F"))
        let page = "/console/ACMETEAM01/test-sign-ins/\(id)"

        #expect(try await ben.get(page).text.contains("Running"))
        #expect(try await other.get(page).status == 404)
        #expect(try await other.get("\(page)/callback?code=x&state=y").status == 404)
        #expect(try await other.post("\(page)/callback", [("code", "x"), ("state", "y")]).status == 404)
        #expect(try await other.get("/console/RIVALTEAM1/test-sign-ins/\(id)").status == 404)
        #expect(try await ben.get(page).text.contains("Running"))
    }

    @Test func `a callback from another site is refused`() async throws {
        var ben = try await developer()
        let begun = try await ben.post("\(Self.service)/test-sign-ins", Self.bothScopes)
        let id = try #require(begun.location?.between("test-sign-ins%2F", "%2F"))

        let answer = try await ben.post(
            "/console/ACMETEAM01/test-sign-ins/\(id)/callback", [("code", "x"), ("state", "y")],
            origin: "https://rival.example")

        #expect(answer.status == 403)
    }

    @Test func `the engine takes its return URL for ten minutes and for its Service ID`() async throws {
        var ben = try await developer()
        _ = try await ben.post(
            "/console/ACMETEAM01/service-ids",
            [("identifier", "com.acme.other"), ("appID", "com.acme.app"), ("description", "Other")])
        let begun = try await ben.post("\(Self.service)/test-sign-ins", Self.bothScopes)
        let link = try #require(begun.location?.dropFirst(environment.publicURL.count)).description
        let other = link.split(separator: "com.acme.web").joined(separator: "com.acme.other")

        #expect(try await ben.get(link).status == 303)
        #expect(try await ben.get(other).status == 400)
        environment.clock.advance(by: .seconds(600))
        #expect(try await ben.get(link).status == 400)
        let id = try #require(link.between("test-sign-ins%2F", "%2F"))
        let page = try await ben.get("/console/ACMETEAM01/test-sign-ins/\(id)").text
        #expect(page.contains("It took longer than ten minutes"))
        let late = try await ben.get("/console/ACMETEAM01/test-sign-ins/\(id)/callback?code=x&state=y")
        #expect(late.location == "/console/ACMETEAM01/test-sign-ins/\(id)")
    }

    @Test func `what the engine would refuse is told at once`() async throws {
        var ben = try await developer()
        try environment.admin("UPDATE app_ids SET is_enabled = false")
        environment.parts.registryChanged(TeamID.acme)

        let begun = try await ben.post("\(Self.service)/test-sign-ins", Self.bothScopes)
        let page = try await ben.follow(begun)

        #expect(page.text.contains("Failed") && page.text.contains("sign-in is switched off"))
    }
}

extension String {
    /// As it was before it stood in HTML.
    fileprivate var unescaped: String {
        var text = self
        for (entity, character) in [("&quot;", "\""), ("&#34;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&amp;", "&")] {
            text = text.split(separator: entity, omittingEmptySubsequences: false).joined(separator: character)
        }
        return text
    }
}
