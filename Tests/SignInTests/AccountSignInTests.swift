import Core
import Crypto
import Directory
import EventLoop
import Platform
import Testing

@testable import TestTeams

/// Signing in without an app: to the person's own page, and to the console.
@Suite(.site) struct AccountSignInTests {
    @Test func `the same steps lead to a page of ours, and to no other place`() throws {
        for next in [nil, Browser.account, "//evil.example", "https://evil.example/", "/\\evil.example"] {
            let browser = site.browser()
            let query = next.map { "?next=\(PercentCoding.encode($0))" } ?? ""
            let page = try browser.get("\(Browser.account)/session\(query)")
            #expect(page.status == 200 && !page.body.contains("value=\"cancel\""))
            #expect(page.action?.hasPrefix("/t/ACMETEAM01/auth/interactions/") == true)
            let done = try browser.signIn(page)
            #expect(done.status == 303 && done["Location"] == Browser.account, "\(next ?? "")")
            #expect(try browser.get(Browser.account).body.contains("ada@acme.example"))
        }
    }

    @Test func `the system team's people sign in by the same steps, on to the console`() async throws {
        let teams = site.teams
        try await teams.loop.run { try await Self.addOperator(to: teams) }
        let browser = site.browser()
        let done = try browser.signIn(try browser.get("/t/PIPPIN0000/account/session"), email: "ops@acme.example")
        #expect(done.status == 303 && done["Location"] == "/console")
        #expect(browser.cookies["__Host-pippin-PIPPIN0000"] != nil)
        #expect(try browser.get(Browser.authorize().replacing("ACMETEAM01", with: "PIPPIN0000")).status == 404)
    }

    private static func addOperator(to teams: TestTeams) async throws {
        let new = NewUser(
            name: try #require(PersonName(given: "Olga", family: "")),
            email: EmailAddress(rawValue: "ops@acme.example"), password: try TestTeams.argon2id.hash(People.password))
        _ = try await teams.database.change(in: .system) { try await UserStore(teams.database).create(new, $0) }
    }
}
