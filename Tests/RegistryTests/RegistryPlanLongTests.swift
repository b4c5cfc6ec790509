import Domain
import Postgres
import TestDatabase
import Testing

@testable import Registry

/// By which way the planner reads a registry that grew.
@Suite("The plans of a registry that grew") struct RegistryPlanLongTests {
    private static let team = TeamID.acme

    @Test func `V43: tokens of a client are found without a look at the others`() async throws {
        try await Registered.with { acme in
            try RegistryReadingTests.issue(acme, 20_000, to: "com.acme.many")
            try RegistryReadingTests.issue(acme, 3, to: "com.acme.web")
            try acme.admin("ANALYZE refresh_tokens")
            let tokens = ClientIdentifierStore.tokens(of: ["com.acme.web"], in: .acme)

            let plan: [String] = try await acme.database.query("EXPLAIN \(tokens)", in: .acme).column()

            let condition = plan.first { $0.contains("Index Cond") } ?? ""
            #expect(plan.joined().contains("refresh_tokens_of_client"), "\(plan)")
            #expect(condition.contains("client_id"), "\(plan)")
        }
    }

    @Test func `V43: a page of keys is read in the order of an index, and only a search compares texts`() async throws {
        try await Registered.with { acme in
            try await acme.makeApp()
            let admin = try AdminConnection(to: acme.conninfo)
            try admin.execute(
                """
                INSERT INTO keys (
                    team_id, key_id, name, app_id, public_key_pem, fingerprint, created_at, revoked_at
                )
                SELECT 'ACMETEAM01', 'K' || lpad(n::text, 9, '0'), 'Key', 'com.acme.app', '', '',
                    now() - n * interval '1 minute', now()
                FROM generate_series(1, 5000) AS n
                """)
            try admin.execute("ANALYZE keys")
            let listing = KeyStore.listing(PageQuery(), nil, .acme)

            let plan: [String] = try await acme.database.query("EXPLAIN \(listing)", in: .acme).column()

            #expect(plan.joined().contains("Scan using keys_created_at"), "\(plan)")
            #expect(!plan.joined().contains("starts_with"), "\(plan)")
            let page = try await acme.keys.list(in: .acme)
            #expect(page.total == 5000 && page.items.first?.id.rawValue == "K000000001")
            #expect(try await acme.keys.list(in: .rival).total == 0)
            let found = try await acme.keys.list(PageQuery(search: "k000000012"), in: .acme)
            #expect(found.items.map(\.id.rawValue) == ["K000000012"])
        }
    }
}
