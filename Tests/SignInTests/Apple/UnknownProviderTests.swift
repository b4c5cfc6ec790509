import Platform
import TestDatabase
import Testing

/// Two releases share a database during an upgrade, and the newer one may have a provider more.
@Suite(.apple) struct `Work for a provider that this release does not have` {
    private static let waiting = """
        SELECT kind, attempts::text FROM jobs
        WHERE state = 'pending' AND worker IS NULL AND due_at > now() + interval '30 minutes'
            AND problem LIKE '%does not have%'
        ORDER BY kind
        """

    @Test func `waits for the release that has it`() async throws {
        try site.admin(
            """
            INSERT INTO upstream_tokens (
                team_id, token_id, provider, sub, app_id, client_id, token_sealed, created_at, validate_at, state
            )
            SELECT 'ACMETEAM01', decode(lpad(n::text, 32, '0'), 'hex'), 'google', 'ada', 'com.acme.app', 'client 1', '', now(),
                now(), (ARRAY['live', 'ending'])[n]
            FROM generate_series(1, 2) AS n
            """)
        try site.admin(
            """
            INSERT INTO jobs (team_id, job_id, kind, priority, due_at, payload)
            SELECT 'ACMETEAM01', repeat(letter, 26), 'upstream.' || kind, 1, now(), payload::jsonb
            FROM (
                VALUES ('a', 'validation', '{"token":"00000000000000000000000000000001"}'),
                    ('b', 'revocation', '{"token":"00000000000000000000000000000002"}'),
                    ('c', 'question', '{"provider":"google","sub":"ada","app":"com.acme.app","at":0}'),
                    ('d', 'notification', '{"provider":"google","sealed":"AAAA","receivedAt":0}')
            ) AS job (letter, kind, payload)
            """)

        try await site.withProcess { _ in
            try await site.wait(isHasty: false) { try site.admin(Self.waiting).count == 4 }
        }

        #expect(
            try site.admin(Self.waiting) == [
                ["upstream.notification", "1"], ["upstream.question", "1"], ["upstream.revocation", "1"],
                ["upstream.validation", "1"],
            ])
        #expect(try site.tokenStates() == ["live", "ending"])
    }

    @Test func `is stored under any id of a provider's form, as the database has it`() throws {
        let ids = [
            "apple", "a", "google-2", String(repeating: "a", count: 32), "", "Apple", "1st", "-a", "a_b", "a.b", "ä",
            "directory", "password", "passkey", "totp", "a\n", String(repeating: "a", count: 33),
        ]
        for id in ids {
            let isID = try site.admin("SELECT pippin_is_provider_id($1)::text", id) == [["true"]]
            #expect((ProviderID(rawValue: id) != nil) == isID, "\(id)")
        }
        #expect(ids.compactMap(ProviderID.init).count == 4)
    }
}
