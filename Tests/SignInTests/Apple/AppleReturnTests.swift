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

    /// Leaves this address nothing of a count, for the rest of the minute.
    private func exhaust(_ count: String, _ site: TestSite) throws {
        try site.teams.admin(
            """
            INSERT INTO limits (team_id, subject, window_ends_at, count)
            SELECT 'ACMETEAM01', $1 || '.address.127.0.0.1', $2::timestamptz + interval '50 seconds', 1000000
            ON CONFLICT (team_id, subject) DO UPDATE SET count = 1000000
            """,
            count,
            site.teams.clock.now.description
        )
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
            try exhaust("attempts", site)
            let answers = try (0..<40).map { _ in try browser.get(back).status }
            #expect(answers.last == 429)
        }
    }

    @Test func `S18, V43: is counted in octets when it is posted, whoever's it is`() async throws {
        try await withApple { site in
            try exhaust("attempt-octets", site)
            let body = "state=x&id_token=" + String(repeating: "x", count: 4000)
            let fields = ["Content-Type: application/x-www-form-urlencoded"]
            let answers = try (0..<80).map { _ in
                try site.ask("POST", Browser.callback, fields, body: body).status
            }
            #expect(answers.first == 303 && answers.last == 429)
        }
    }

    @Test func `S18, V43: begins no trip uncounted where people sign in at Apple alone`() async throws {
        try await withApple { site in
            let browser = site.browser()
            _ = try browser.consent()
            let step = try #require(try browser.get(Browser.authorize(Browser.everything))["Location"])
            try site.useAlone("{apple}")
            #expect(try browser.get(step).status == 302)
            try exhaust("attempts", site)
            let answers = try (0..<40).map { _ in try browser.get(step).status }
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
