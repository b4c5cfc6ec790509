import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// Whether an authorization still stands, asked once a day.
@Suite(.apple) struct `Daily validation at Apple` {
    private static let jobs = "SELECT state, attempts::text FROM jobs WHERE kind = 'upstream.validation'"

    /// Two days later everything that was given is due.
    private func afterTwoDays(_ body: (AppleProcess) async throws -> Void) async throws {
        site.clock.advance(by: .seconds(2 * 86_400))
        try await site.withProcess { process in
            try await process.validate()
            try await body(process)
        }
    }

    @Test func `finds it standing, and asks again a day later, not before`() async throws {
        let token = try site.tokens()
        try await afterTwoDays { process in
            try await site.wait { try site.admin(Self.jobs) == [["succeeded", "1"]] }
            #expect(try site.admin("SELECT FROM upstream_tokens WHERE validated_at IS NULL").isEmpty)
            for hours in [0, 12, 11] {
                site.clock.advance(by: .seconds(hours * 3600))
                try await process.validate()
            }
            #expect(try site.admin(Self.jobs).count == 1)
            site.clock.advance(by: .seconds(2 * 3600))
            try await process.validate()
            #expect(try site.admin(Self.jobs).count == 2)
        }
        #expect(try site.isAlive(token) && site.credentialState() == "authorized")
    }

    @Test func `asks nothing on the day of the sign-in, and spreads the first question over the day after`()
        async throws
    {
        for _ in 1...3 { _ = try site.tokens() }
        let moments = try site.admin(
            """
            SELECT (validate_at - created_at >= interval '1 day' AND validate_at - created_at < interval '2 days')::text
            FROM upstream_tokens
            """)
        #expect(moments == [["true"], ["true"], ["true"]])
        try await site.withProcess { try await $0.validate() }
        #expect(try site.admin(Self.jobs).isEmpty)
    }

    @Test func `asks once for a person who has signed in often`() async throws {
        for _ in 1...3 { _ = try site.tokens() }
        try await afterTwoDays { _ in try await site.wait { try site.admin(Self.jobs) == [["succeeded", "1"]] } }
    }

    @Test func `asks about Apple's token whatever another provider gave since, or was asked`() async throws {
        _ = try site.tokens()
        site.clock.advance(by: .seconds(2 * 86_400))
        try site.admin(
            """
            INSERT INTO upstream_tokens (
                team_id, token_id, provider, sub, app_id, client_id, token_sealed, created_at, validate_at, validated_at
            )
            SELECT team_id, '\\x00', 'google', sub, app_id, 'client 1', '', $1::text::timestamptz, 'infinity',
                $1::text::timestamptz
            FROM upstream_tokens
            """, site.now)

        try await site.withProcess { process in
            try await process.validate()
            try await site.wait { try site.admin(Self.jobs) == [["succeeded", "1"]] }
        }

        let result = try site.admin("SELECT result->>'state' FROM jobs WHERE kind = 'upstream.validation'")
        #expect(result == [["live"]])
    }

    @Test func `ends sessions and tokens where Apple has ended it, tells the apps, and lets the person return`()
        async throws
    {
        try site.listen()
        let tokens = [try site.tokens(), try site.tokens()]
        try endAtApple()
        try await afterTwoDays { _ in try await site.wait { try site.tokenStates() == ["revoked", "revoked"] } }

        #expect(try !site.isAlive(tokens[0]) && !site.isAlive(tokens[1]))
        #expect(try site.credentialState() == "revoked")
        #expect(try site.notificationTypes() == ["consent-revoked"])
        #expect(try site.receipts() == ["upstream_token.revoked", "upstream_token.revoked"])
        #expect(try site.actions().contains("upstream_authorization.ended"))

        // The app was told to forget the person, and Apple does not say the name again.
        let exit = try site.browser().signInAtApple(.regular)
        #expect(exit.value(of: "user")?.contains("Rita") == true)
        #expect(try site.credentialState() == "authorized")
    }

    /// The person ends everything at Apple.
    private func endAtApple() throws {
        try site.admin("UPDATE refresh_tokens SET revoked_at = now() WHERE team_id = 'APPLESIM00'")
    }

    @Test(arguments: [(0, "authorized"), (3, "revoked")])
    func `V73: takes a token that the app's transfer ended for no withdrawal, but one of since then`(
        days: Int, state: String
    ) async throws {
        let token = try site.tokens()
        try endAtApple()
        let day = (site.clock.now - .seconds(days * 86_400)).description.prefix(10)
        try site.admin("UPDATE apple_connections SET transferred_on = $1::text::date", String(day))
        try await afterTwoDays { _ in try await site.wait { try site.tokenStates() == ["revoked"] } }

        #expect(try site.isAlive(token) == (state == "authorized"))
        #expect(try site.credentialState() == state)
    }

    @Test func `leaves alone who ended it and came back before the question was asked`() async throws {
        _ = try site.tokens()
        site.script.set(.throttled, at: .token)
        try await afterTwoDays { _ in
            try await site.waitForFailure(of: "upstream.validation")
            try endAtApple()
            let token = try site.tokens()

            try await site.wait { try site.admin(Self.jobs) == [["succeeded", "2"]] }

            #expect(try site.isAlive(token) && site.credentialState() == "authorized")
            #expect(try site.tokenStates() == ["live", "live"])
        }
    }

    @Test func `ends one token alone where the person came back while Apple was asked`() async throws {
        _ = try site.tokens()
        site.clock.advance(by: .seconds(2 * 86_400))
        try endAtApple()
        try await site.withProcess { process in
            var token = ""
            try await site.hold(while: { try await process.validate() }, then: { token = try site.tokens() })

            try await site.wait { try site.admin(Self.jobs) == [["succeeded", "1"]] }

            #expect(try site.tokenStates() == ["revoked", "live"])
            #expect(try site.isAlive(token) && site.credentialState() == "authorized")
        }
    }

    @Test func `tells of a token that the master key does not open`() async throws {
        _ = try site.tokens()
        try site.admin("UPDATE upstream_tokens SET token_sealed = '\\x00'")
        try await afterTwoDays { _ in try await site.wait { try site.admin(Self.jobs) == [["succeeded", "1"]] } }
        let told = try site.admin("SELECT state, problem FROM upstream_tokens")
        #expect(told == [["live", "sealed"]])
    }

    @Test func `gets round to every team, however much another has`() async throws {
        try site.admin(
            """
            INSERT INTO upstream_tokens (
                team_id, token_id, provider, sub, app_id, client_id, token_sealed, created_at, validate_at
            )
            SELECT CASE WHEN n > 1000 THEN 'RIVALTEAM1' ELSE 'ACMETEAM01' END, decode(lpad(n::text, 32, '0'), 'hex'),
                'apple', 'somebody.' || n, 'com.acme.app', 'com.acme.siwa', '', now(),
                '2000-01-01'::timestamptz + n * interval '1 second'
            FROM generate_series(1, 1001) AS n
            """)
        try await site.withProcess { try await $0.validate() }
        let teams = try site.admin(
            "SELECT team_id FROM jobs WHERE kind = 'upstream.validation' GROUP BY team_id ORDER BY team_id")
        #expect(teams == [["ACMETEAM01"], ["RIVALTEAM1"]])
    }

    @Test(arguments: [(1, "revoked"), (Int.max, "live")])
    func `takes invalid_request for the end only when it cannot be about us`(times: Int, state: String) async throws {
        _ = try site.tokens()
        site.script.set(.badRequest, at: .token, times: times)
        try await afterTwoDays { _ in try await site.wait { try site.admin(Self.jobs) == [["succeeded", "1"]] } }
        #expect(try site.tokenStates() == [state])
    }

    @Test func `changes nobody's state while Apple does not take our key, and says so`() async throws {
        let token = try site.tokens()
        site.script.set(.unknownClient, at: .token, times: .max)
        try await afterTwoDays { _ in try await site.wait { try site.admin(Self.jobs) == [["succeeded", "1"]] } }
        site.script.set(nil, at: .token)
        #expect(try site.tokenStates() == ["live"] && site.isAlive(token))
        #expect(try site.credentialState() == "authorized")
        #expect(try site.admin("SELECT problem FROM upstream_tokens") == [["client"]])
    }

    @Test func `waits as long as Apple asks`() async throws {
        _ = try site.tokens()
        site.script.set(.throttled, at: .token)
        try await afterTwoDays { _ in
            try await site.wait(isHasty: false) {
                let waiting =
                    "attempts = 1 AND worker IS NULL AND due_at BETWEEN now() + interval '10 s' AND now() + interval '30 s'"
                return try !site.admin("SELECT FROM jobs WHERE \(waiting)").isEmpty
            }
            try await site.wait { try site.admin(Self.jobs) == [["succeeded", "2"]] }
        }
        #expect(try site.tokenStates() == ["live"])
    }

    @Test func `gives back what somebody left behind who is gone`() async throws {
        _ = try site.tokens()
        try site.removePerson(Performer.regular.subject)
        try await afterTwoDays { _ in try await site.wait { try site.tokenStates() == ["revoked"] } }
    }
}
