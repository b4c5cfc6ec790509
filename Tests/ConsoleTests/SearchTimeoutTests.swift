import Domain
import Postgres
import Testing

@testable import Console

@Suite struct `A search of the console` {
    @Test func `V43: ends sooner than anything else, says so, and holds up nothing else`() async throws {
        try await withEnvironment(searchTimeout: .milliseconds(100)) { environment in
            var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
            for (page, table) in [
                ("audit?action=app_id.updated", "audit_events"), ("keys?q=server", "keys"),
                ("apple-tokens", "provider_tokens"),
            ] {
                let holder = try AdminConnection(to: environment.conninfo)
                try holder.execute("BEGIN; LOCK TABLE \(table)")
                let answer = try await owner.get("/console/ACMETEAM01/\(page)")
                #expect(answer.status == 422, "\(page)")
                #expect(answer.text.contains("This search takes too long"), "\(page)")
                try holder.execute("ROLLBACK")
            }
        }
    }
}
