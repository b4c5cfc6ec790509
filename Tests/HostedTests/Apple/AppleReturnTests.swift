import Bytes
import Directory
import Domain
import EventLoop
import HTTP
import Simulator
import Testing

@testable import Hosted
@testable import TestTeams

/// A browser that comes back from Apple when what it left is not there any more.
@Suite struct `A return from Apple` {
    /// Leaves this address nothing of a count, for the rest of the minute.
    private func exhaust(_ count: String) throws {
        try site.teams.admin(
            """
            INSERT INTO limits (team_id, subject, window_ends_at, count)
            SELECT 'ACMETEAM01', $1 || '.address.127.0.0.1', $2::timestamptz + interval '50 seconds', 1000000
            ON CONFLICT (team_id, subject) DO UPDATE SET count = 1000000
            """, count, site.teams.clock.now.description)
    }

    @Test(.apple) func `to a sign-in that ended meanwhile is no sign-in, and keeps Apple's token`() async throws {
        let browser = site.browser()
        let back = try browser.signInUntilBack()
        let exchange = try await site.hold(while: { try browser.set(out: back) }) {
            let people = try site.people()
            #expect(!people.isEmpty)
            try site.teams.admin("DELETE FROM attempts WHERE team_id = 'ACMETEAM01'")
        }

        #expect(try exchange.answer().status == 410)
        #expect(try !site.teams.actions().contains("sign_in.completed"))
        let seen = try site.teams.admin(
            "SELECT last_sign_in_at FROM users WHERE email = 'rita@icloud.example' AND team_id = 'ACMETEAM01'")
        #expect(seen == [[nil]])
        #expect(try site.tokenStates() == ["live"])
        #expect(try site.teams.count("provider_trips") == 0)
    }

    @Test(.apple) func `to a sign-in that is gone is over each time`() throws {
        let browser = site.browser()
        let back = try browser.signInUntilBack()
        try site.teams.admin("DELETE FROM attempts WHERE team_id = 'ACMETEAM01'")
        for _ in 0..<2 { #expect(try browser.get(back).status == 410) }
    }

    @Test(.apple) func `with an answer that nobody can open is over`() throws {
        let browser = site.browser()
        let back = try browser.signInUntilBack()
        try site.teams.admin("UPDATE provider_trips SET answer_sealed = '\\x00'")
        for _ in 0..<2 { #expect(try browser.get(back).status == 410) }
    }

    @Test(.apple) func `that Apple refused is over, and has Apple asked no second time`() throws {
        let browser = site.browser()
        let back = try browser.signInUntilBack()
        site.script.set(.unknownClient, at: .token, times: 9)
        #expect(try browser.get(back).status == 400)
        let calls = site.calls(to: .token)
        #expect(try browser.get(back).status == 410)
        #expect(site.calls(to: .token) == calls)
    }

    @Test(.apple) func `is counted as a beginning`() throws {
        let browser = site.browser()
        let back = try browser.signInUntilBack()
        try exhaust("attempts")
        let answers = try (0..<40).map { _ in try browser.get(back).status }
        #expect(answers.last == 429)
    }

    @Test(.apple) func `S18, V43: is counted in octets when it is posted, whoever's it is`() throws {
        try exhaust("attempt-octets")
        let body = "state=x&id_token=" + String(repeating: "x", count: 4000)
        let answers = try (0..<80).map { _ in try site.ask("POST", Browser.callback, [TestSite.form], body: body).status
        }
        #expect(answers.first == 303 && answers.last == 429)
    }

    @Test
    func
        `S18, V43: that names no upstream request takes nothing of the team's octets; an upstream request's own is kept`()
        async throws
    {
        // Of a team 4 MiB, of an address 64 KiB.
        let limits = InteractionLimits(octetsPerTeam: 4 << 20)
        try await withApple(limits: limits) { site in
            let browser = site.browser()
            let exit = try browser.choose(.regular, on: try browser.goToApple())
            let body = "state=x&id_token=" + String(repeating: "x", count: 4000)
            for _ in 0..<14 {
                #expect(try site.ask("POST", Browser.callback, [TestSite.form], body: body).status == 303)
            }
            let (store, now) = (LimitStore(site.teams.database), site.teams.clock.now)
            @Sendable func admit(_ last: Int, _ octets: Int) async throws -> Bool {
                let address = try #require(IPAddress("203.0.113.\(last)"))
                return try await limits.admit(address, octets: octets, team: .acme, counting: store, at: now)
            }
            // What other addresses leave is less than what was posted.
            let others = try await site.teams.loop.run {
                var others: [Bool] = []
                for last in 1...63 { others.append(try await admit(last, 64 << 10)) }
                return others + [try await admit(64, 32_000)]
            }
            #expect(others == Array(repeating: true, count: 64))
            let beyond = try await site.teams.loop.run { try await admit(65, 64 << 10) }
            #expect(!beyond)

            let back = try browser.postBack(exit)
            let kept = try site.teams.admin("SELECT FROM provider_trips WHERE answered_at IS NOT NULL")
            #expect(kept.count == 1)
            #expect(try browser.get(back).status != 429)
        }
    }

    @Test(.apple) func `S18: is taken up to 8 KiB`() throws {
        let browser = site.browser()
        let exit = try browser.choose(.regular, on: try browser.goToApple())
        // Each of these takes six octets where it is kept.
        let long = String(repeating: "%01", count: 4000)
        let state = try #require(exit.value(of: "state"))
        let body = "state=\(state)&user=\(long)"
        #expect(try site.ask("POST", Browser.callback, [TestSite.form], body: body).status == 400)
        #expect(try site.teams.admin("SELECT FROM provider_trips WHERE answered_at IS NOT NULL").isEmpty)
        _ = try browser.postBack(exit)
    }

    @Test func `S18: counts for its team where it is kept`() async throws {
        // Of a team 4 MiB, of an address 64 KiB.
        let limits = InteractionLimits(octetsPerTeam: 4 << 20)
        try await withApple(limits: limits) { site in
            let browser = site.browser()
            let exit = try browser.choose(.regular, on: try browser.goToApple())
            let state = try #require(exit.value(of: "state"))
            let (token, user) = (String(repeating: "x", count: 4000), String(repeating: "x", count: 3000))
            let body = "state=\(state)&id_token=\(token)&user=\(user)"
            #expect(try site.ask("POST", Browser.callback, [TestSite.form], body: body).status == 303)

            let (store, now) = (LimitStore(site.teams.database), site.teams.clock.now)
            // With 63 others there would be some 64,000 octets left.
            let sizes = Array(repeating: 64 << 10, count: 63) + [59_000]
            let others = try await site.teams.loop.run {
                var others: [Bool] = []
                for (place, octets) in sizes.enumerated() {
                    let address = try #require(IPAddress("203.0.113.\(place + 1)"))
                    others.append(
                        try await limits.admit(address, octets: octets, team: .acme, counting: store, at: now))
                }
                return others
            }
            #expect(others == Array(repeating: true, count: 63) + [false])
        }
    }

    @Test(.apple) func `S18, V43: begins no upstream request uncounted where people sign in at Apple alone`() throws {
        let browser = try site.consented()
        let step = try #require(try browser.get(Browser.authorize(Browser.everything))["Location"])
        try site.useAlone("apple")
        #expect(try browser.get(step).status == 302)
        try exhaust("attempts")
        let answers = try (0..<40).map { _ in try browser.get(step).status }
        #expect(answers.last == 429)
    }

    @Test(.apple) func `has no upstream request where the app's group is not registered there`() throws {
        let browser = site.browser()
        let page = try browser.get(Browser.authorize(client: .otherWeb))
        let step = try #require(page.action).replacing("/password", with: "/apple")
        #expect(try browser.get(step).status == 400)
        #expect(try site.teams.count("provider_trips") == 0)
    }
}
