import Core
import Platform
import Postgres
import TestDatabase
import Testing

@testable import Registry

/// How much is read of a registry, and what stays of what it was.
@Suite("A registry that grew") struct RegistryReadingTests {
    /// Issues tokens of a client to that many people.
    static func issue(_ acme: Registered, _ count: Int, to client: String, in team: TeamID = .acme) throws {
        try AdminConnection(to: acme.conninfo).execute(
            """
            INSERT INTO refresh_tokens (
                team_id, token_id, sub, app_id, client_id, authenticated_at, created_at, last_used_at
            )
            SELECT $1, decode(md5($2 || n), 'hex'), 'sub' || n, 'com.acme.app', $2, now(), now(), now()
            FROM generate_series(1, $3::integer) AS n
            """, [team.rawValue, client, String(count)])
    }

    @Test func `V43, V55: a domain is read without return URLs, but for one of a developer's machine`() async throws {
        try await Registered.withApp { acme in
            let long = String(repeating: "x", count: 2000)
            let urls = (1...8).map { "https://acme.example/\($0)\(long)" } + ["http://localhost:3000/callback"]
            let draft = try ServiceID.Draft(
                "com.acme.web", of: .named("com.acme.app"),
                ["description": "Acme Web", "domains": ["acme.example", "localhost"], "returnURLs": .strings(urls)],
                policy: .hostNamesAndLoopback)
            try await acme.serviceIDs.create(draft)

            let octets = try await acme.number(
                "SELECT sum(octet_length(t::text))::bigint FROM (\(DomainStore.everyDomain(of: .acme))) AS t")

            #expect(octets < 1000)
            #expect(
                try await acme.domains.all(in: .acme).map(\.associationURL) == [
                    "https://acme.example\(AssociationFile.path)", "http://localhost:3000\(AssociationFile.path)",
                ])
        }
    }

    @Test func `V43: an App ID keeps its last fifty revoked keys, and another App ID and team theirs`() async throws {
        try await Registered.with { acme in
            for team in [TeamID.acme, .rival] {
                for app in ["com.acme.app", "com.acme.other"] {
                    try await acme.makeApp(app, in: team)
                    try AdminConnection(to: acme.conninfo).execute(
                        """
                        INSERT INTO keys (
                            team_id, key_id, name, app_id, public_key_pem, fingerprint, revoked_at
                        )
                        SELECT $1, $3 || lpad(n::text, 9, '0'), 'Key', $2, '', '', now() - n * interval '1 minute'
                        FROM generate_series(1, 70) AS n
                        """, [team.rawValue, app, app == "com.acme.app" ? "A" : "B"])
                }
            }
            let key = try await acme.keys.issue()
            try await acme.keys.revoke(key.id, reason: "old")

            let kept = try await acme.keys.list(of: .named("com.acme.app"), in: .acme)
            #expect(kept.total == Quota.revokedKeys.count)
            #expect(try await acme.keys.find(key.id, in: .acme) != nil)
            #expect(try await acme.number("SELECT count(*) FROM keys") == Quota.revokedKeys.count + 70)
            #expect(try await acme.number("SELECT count(*) FROM keys", in: .rival) == 140)
        }
    }

    @Test func `V43: a client goes with ten thousand tokens, and its name is free once the rest went`() async throws {
        try await Registered.with { acme in
            for team in [TeamID.acme, .rival] {
                try await acme.makeApp(in: team)
                try await acme.makeService(in: team)
                try Self.issue(acme, ClientIdentifierStore.tokensAtOnce + 5, to: "com.acme.web", in: team)
            }
            let tokens: SQL = "SELECT count(*) FROM refresh_tokens"
            let name = ClientID.named("com.acme.web")

            try await acme.serviceIDs.delete(name, reason: "No use")

            #expect(try await acme.number(tokens) == 5)
            await #expect(throws: ValidationError.identifierEnding(name)) { try await acme.makeService() }
            let admin = try AdminConnection(to: acme.conninfo)
            #expect(try admin.execute("SELECT pippin_purge_ended_clients(3)", []) == [["3"]])
            await #expect(throws: ValidationError.identifierEnding(name)) { try await acme.makeService() }
            #expect(try admin.execute("SELECT pippin_purge_ended_clients(3)", []) == [["2"]])
            #expect(try await acme.number(tokens) == 0)
            try await acme.makeService()
            #expect(try await acme.number(tokens, in: .rival) == ClientIdentifierStore.tokensAtOnce + 5)
        }
    }

    /// Has somebody else end some tokens, who is waited for, while `body` goes on.
    private static func whileFewGo<Answer: Sendable>(
        _ acme: Registered, _ body: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let few = "DELETE FROM refresh_tokens WHERE token_id IN (SELECT token_id FROM refresh_tokens LIMIT 50)"
        let holder = try RowHolder(at: acme.conninfo, few)
        let answer = Task(executorPreference: acme.loop) { try await body() }
        try await holder.waitForWaiters()
        try holder.commit()
        return try await answer.value
    }

    @Test func `V53: a client ends with all of its tokens while somebody else ends some of them`() async throws {
        try await Registered.withService { acme in
            try Self.issue(acme, ClientIdentifierStore.tokensAtOnce + 200, to: "com.acme.web")
            let name = ClientID.named("com.acme.web")
            let admin = try AdminConnection(to: acme.conninfo)

            _ = try await Self.whileFewGo(acme) { try await acme.serviceIDs.delete(name, reason: "No use") }
            #expect(try await acme.number("SELECT count(*) FROM refresh_tokens") == 150 + 50)
            await #expect(throws: ValidationError.identifierEnding(name)) { try await acme.makeService() }

            let conninfo = acme.conninfo
            let went = try await Self.whileFewGo(acme) {
                try await Task.detached {
                    try AdminConnection(to: conninfo).execute("SELECT pippin_purge_ended_clients(100)", [])
                }.value
            }
            #expect(went == [["50"]])
            await #expect(throws: ValidationError.identifierEnding(name)) { try await acme.makeService() }
            #expect(try admin.execute("SELECT pippin_purge_ended_clients(1000)", []) == [["100"]])
            try await acme.makeService()
        }
    }

    @Test func `V43: what goes with an App ID is counted up to a thousand people`() async throws {
        try await Registered.with { acme in
            let app = try await acme.makeApp()
            let admin = try AdminConnection(to: acme.conninfo)
            try admin.execute(
                """
                INSERT INTO users (team_id, sub) SELECT 'ACMETEAM01', 'sub' || n FROM generate_series(1, 1500) AS n;
                INSERT INTO consents (
                    team_id, sub, app_id, shares_name, shares_email, hides_email, granted_at, ip
                )
                SELECT team_id, sub, 'com.acme.app', true, true, false, now(), '' FROM users
                WHERE team_id = 'ACMETEAM01'
                """)

            let gone = try await acme.appIDs.delete(app.identifier, reason: "No use")

            #expect(gone?.people == AppIDConsequences.countLimit + 1)
            #expect(gone?.auditedMembers["people"] == .string("more than 1000"))
        }
    }
}
