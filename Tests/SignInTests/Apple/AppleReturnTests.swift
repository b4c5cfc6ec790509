import Core
import Directory
import HTTP
import Platform
import Simulator
import Testing

@testable import TestTeams

/// A browser that comes back from Apple when what it left is not there any more.
@Suite struct `A return from Apple` {
    @Test(.apple) func `to a sign-in that ended meanwhile is no sign-in, and keeps Apple's token`() async throws {
        let (browser, back) = try site.back()
        let exchange = try await site.hold(while: { try browser.set(out: back) }) {
            let people = try site.people()
            #expect(!people.isEmpty)
            try site.admin("DELETE FROM interactions WHERE team_id = 'ACMETEAM01'")
        }

        #expect(try exchange.answer().status == 410)
        #expect(try !site.actions().contains("sign_in.completed"))
        let seen = try site.admin(
            "SELECT last_sign_in_at FROM users WHERE email = 'rita@icloud.example' AND team_id = 'ACMETEAM01'")
        #expect(seen == [[nil]])
        #expect(try site.tokenStates() == ["live"])
        #expect(try site.count("upstream_requests") == 0)
    }

    @Test(
        .apple,
        arguments: [
            "DELETE FROM interactions WHERE team_id = 'ACMETEAM01'",
            "UPDATE upstream_requests SET answer_sealed = '\\x00'",
        ]) func `to a sign-in that is gone, or with an answer that nobody can open, is over each time`(change: String)
        throws
    {
        let (browser, back) = try site.back()
        try site.admin(change)
        for _ in 0..<2 { #expect(try browser.get(back).status == 410) }
    }

    @Test(.apple) func `that Apple refused is over, and has Apple asked no second time`() throws {
        let (browser, back) = try site.back()
        site.script.set(.unknownClient, at: .token, times: 9)
        #expect(try browser.get(back).status == 400)
        let calls = site.calls(to: .token)
        #expect(try browser.get(back).status == 410)
        #expect(site.calls(to: .token) == calls)
    }

    @Test(.apple) func `S18: is taken up to 8 KiB`() throws {
        let browser = site.browser()
        let exit = try browser.choose(.regular, on: try browser.goToApple())
        // Each of these takes six octets where it is kept.
        let long = String(repeating: "%01", count: 4000)
        let state = try #require(exit.value(of: "state"))
        let body = "state=\(state)&user=\(long)"
        #expect(try site.ask("POST", Browser.callback, [TestSite.form], body: body).status == 400)
        #expect(try site.admin("SELECT FROM upstream_requests WHERE answered_at IS NOT NULL").isEmpty)
        _ = try browser.postBack(exit)
    }

    @Test(.apple) func `has no upstream request where the app's group is not registered there`() throws {
        let browser = site.browser()
        let page = try browser.get(Browser.authorize(client: .otherWeb))
        let step = try #require(page.action).replacing("/password", with: "/apple")
        #expect(try browser.get(step).status == 400)
        #expect(try site.count("upstream_requests") == 0)
    }
}
