import Bytes
import Domain
import Simulator
import Testing

@testable import SignIn
@testable import TestTeams

/// A browser that comes back from Apple when what it left is not there any more.
@Suite struct `A return from Apple` {
    private func postBack(_ browser: Browser, _ site: TestSite) throws -> String {
        try browser.postBack(try browser.choose(.regular, on: try browser.goToApple()), to: site.port)
    }

    @Test func `to a sign-in that ended meanwhile is no sign-in, and keeps Apple's token`() async throws {
        try await withApple { site in
            let browser = site.browser()
            let back = try postBack(browser, site)
            site.script.set(.slow, at: .token)
            let exchange = try Exchange(
                port: site.port,
                "GET",
                back,
                ["Cookie: " + browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")]
            )
            try await site.wait { try !site.people().isEmpty }
            try site.teams.admin("DELETE FROM attempts WHERE team_id = 'ACMETEAM01'")

            #expect(try exchange.answer().status == 410)
            #expect(try !site.teams.actions().contains("sign_in.completed"))
            let seen = try site.teams.admin(
                "SELECT last_sign_in_at FROM users WHERE email = 'rita@icloud.example' AND team_id = 'ACMETEAM01'"
            )
            #expect(seen == [[nil]])
            #expect(try site.tokenStates() == ["live"])
            #expect(try site.teams.admin("SELECT FROM provider_trips").isEmpty)
        }
    }

    @Test func `to a sign-in that is gone is over each time`() async throws {
        try await withApple { site in
            let browser = site.browser()
            let back = try postBack(browser, site)
            try site.teams.admin("DELETE FROM attempts WHERE team_id = 'ACMETEAM01'")
            for _ in 0..<2 { #expect(try browser.get(back).status == 410) }
        }
    }

    @Test func `with an answer that nobody can open is over`() async throws {
        try await withApple { site in
            let browser = site.browser()
            let back = try postBack(browser, site)
            try site.teams.admin("UPDATE provider_trips SET answer_sealed = '\\x00'")
            for _ in 0..<2 { #expect(try browser.get(back).status == 410) }
        }
    }

    @Test func `that Apple refused is over, and has Apple asked no second time`() async throws {
        try await withApple { site in
            let browser = site.browser()
            let back = try postBack(browser, site)
            site.script.set(.unknownClient, at: .token, times: 9)
            #expect(try browser.get(back).status == 400)
            let calls = site.lines.targets.values.count { $0.hasSuffix("/apple/auth/token") }
            #expect(try browser.get(back).status == 410)
            #expect(site.lines.targets.values.count { $0.hasSuffix("/apple/auth/token") } == calls)
        }
    }

    @Test func `is counted as a beginning`() async throws {
        try await withApple { site in
            let browser = site.browser()
            let back = try postBack(browser, site)
            try site.teams.admin(
                """
                INSERT INTO limits (team_id, subject, window_ends_at, count)
                SELECT 'ACMETEAM01', 'attempts.address.127.0.0.1', $1::timestamptz + interval '1 hour', 1000
                ON CONFLICT (team_id, subject) DO UPDATE SET count = 1000
                """,
                site.teams.clock.now.description
            )
            let answers = try (0..<40).map { _ in try browser.get(back).status }
            #expect(answers.last == 429)
        }
    }

    @Test func `has no trip where the app's group is not registered there`() async throws {
        try await withApple { site in
            let browser = site.browser()
            let page = try browser.get(Browser.authorize(client: .otherWeb))
            let step = try #require(page.action).replacing("/password", with: "/apple")
            #expect(try browser.get(step).status == 400)
            #expect(try site.teams.admin("SELECT FROM provider_trips").isEmpty)
        }
    }
}
