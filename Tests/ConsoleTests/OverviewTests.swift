import Core
import HTTP
import OAuth
import Platform
import SignIn
import Testing

@testable import Console

@Suite(.environment) struct `The overview` {
    private static let path = ConsoleRoutes.overview.link(TeamID.acme)

    @Test func `draws the last thirty days, with the same numbers in a table`() async throws {
        var owner = try await environment.signedIn("owner", [TeamID.acme: .owner])
        _ = try await environment.add("Ada", to: .acme)
        try environment.admin("UPDATE users SET created_at = $1::text::timestamptz", environment.now.description)
        try environment.admin(
            """
            INSERT INTO daily_counts (team_id, measure, day, subject, count)
            SELECT team, measure, $1::text::date - days_ago, subject, count
            FROM (VALUES ('ACMETEAM01', 'sign_in', 3, 'com.acme.web', 40),
                ('ACMETEAM01', 'sign_in', 3, 'com.acme.app', 2),
                ('ACMETEAM01', 'failure', 0, 'return_url_unregistered', 7),
                ('ACMETEAM01', 'sign_in', 40, 'com.acme.web', 1000),
                ('RIVALTEAM1', 'sign_in', 0, 'com.acme.web', 5555)
            ) AS new (team, measure, days_ago, subject, count)
            """, String(environment.now.description.prefix(10)))

        // Of the seven failures two ended sign-ins: so many are in the list.
        for number in 1...2 {
            let id = TraceID.prefix(environment.now - .seconds(Int64(number))) + "0123456789abcdef"
            try environment.admin(
                """
                INSERT INTO traces (team_id, trace_id, outcome, cause, opening)
                VALUES ('ACMETEAM01', $1, 'failed', 'return_url_unregistered', '{}')
                """, id)
        }

        let page = try await owner.get(Self.path).text

        #expect(page.contains("<strong>42</strong>"))
        #expect(page.split(separator: "class=\"chart-bar\"").count > 30)
        #expect(page.contains("<td>42</td>"))
        #expect(page.contains("The return URL is not registered") && page.contains("<span>2</span>"))
        #expect(page.contains("Failed sign-ins: 2"))
        #expect(!page.contains("1000") && !page.contains("5555"))
        // New users are counted where they are: one today.
        #expect(page.contains("<strong>1</strong>"))
    }

    @Test func `counts the new users of a day that is over once`() async throws {
        var owner = try await environment.signedIn("owner", [TeamID.acme: .owner])
        _ = try await environment.add("Ada", to: .acme)
        try environment.admin("UPDATE users SET created_at = now() - interval '2 days'")

        _ = try await owner.get(Self.path)
        try environment.removePeople()
        let page = try await owner.get(Self.path).text

        let kept = try environment.admin("SELECT sum(count)::text FROM daily_counts WHERE measure = 'new_user'")
        #expect(kept == [["1"]])
        #expect(page.contains("<strong>1</strong>"))
    }

    @Test func `names what is unused, old or half done`() async throws {
        var owner = try await environment.acmeWeb("owner", .owner)
        try environment.admin(
            """
            INSERT INTO keys (team_id, key_id, name, app_id, rank, public_key_pem, fingerprint, created_at)
            VALUES ('ACMETEAM01', 'ACMEKEY001', 'CI', 'com.acme.app', 1, '', 'SHA256:0', now() - interval '8 days'),
                ('ACMETEAM01', 'ACMEKEY002', 'CD', 'com.acme.app', 2, '', 'SHA256:1', now())
            """)
        try environment.admin("DELETE FROM return_urls")

        let page = try await owner.get(Self.path).text

        #expect(page.contains("Key never used") && page.contains("ACMEKEY001"))
        #expect(!page.contains("ACMEKEY002"))
        #expect(page.contains("No return URL yet") && page.contains("Domain not verified"))
    }
}
