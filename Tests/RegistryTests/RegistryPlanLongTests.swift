import Platform
import Postgres
import TestDatabase
import Testing

@testable import Registry

/// By which way the planner reads a registry that grew.
@Suite("The plans of a registry that grew") struct RegistryPlanLongTests {
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
}
