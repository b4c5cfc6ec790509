import Platform
import Postgres
import Testing

@Suite(.environment(searchTimeout: .milliseconds(100))) struct `A search of the console` {
    @Test func `V43: ends sooner than anything else, says so, and holds up nothing else`() async throws {
        let owner = try await environment.signedIn("Ada", [TeamID.acme: .owner, .rival: .owner])
        for (page, table) in [
            ("audit?action=app_id.updated", "audit_events"), ("keys?q=server", "keys"),
            ("apple-tokens", "upstream_tokens"),
        ] {
            let holder = try RowHolder(at: environment.conninfo, "LOCK TABLE \(table)")
            async let search = {
                var owner = owner
                return try await owner.get("/console/ACMETEAM01/\(page)")
            }()
            var other = owner
            for team in ["ACMETEAM01", "RIVALTEAM1"] {
                #expect(try await other.get("/console/\(team)/members").status == 200, "\(page)")
            }
            let answer = try await search
            #expect(answer.status == 422, "\(page)")
            #expect(answer.text.contains("This search takes too long"), "\(page)")
            try holder.commit()
        }
    }
}
