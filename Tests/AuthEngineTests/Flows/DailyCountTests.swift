import Domain
import Testing

@testable import AuthEngine
@testable import TestTeams

@Suite struct `A sign-in, in the counts of its team` {
    @Test func `V43: is counted in one row a day, however many clients come and go`() async throws {
        try await withEngine { engine in
            _ = try await engine.code(to: .web)
            _ = try await engine.code(to: .strict)
            await engine.flows.finish()
            #expect(try await engine.counts() == ["sign_in ": 2])
            let used = "SELECT service_id, last_day = current_date FROM service_id_sign_ins ORDER BY 1"
            #expect(try engine.teams.admin(used).map { $0[0] } == ["com.acme.strict", "com.acme.web"])
            try engine.teams.admin("DELETE FROM service_ids WHERE identifier = 'com.acme.strict'")
            #expect(try engine.teams.admin(used).map { $0[0] } == ["com.acme.web"])
            let others = "SELECT FROM service_id_sign_ins WHERE team_id <> 'ACMETEAM01'"
            #expect(try engine.teams.admin(others).isEmpty)
        }
    }
}
