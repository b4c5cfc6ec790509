import Platform
import TestDatabase
import Testing

@testable import Accounts
@testable import TestTeams

@Suite struct `A sign-in, in the counts of its team` {
    private static let used = "SELECT team_id, service_id FROM service_id_sign_ins ORDER BY 1, 2"

    private func sums(_ engine: Engine) throws -> [[String?]] {
        try engine.admin("SELECT team_id, subject, count::text FROM daily_counts WHERE measure = 'sign_in' ORDER BY 1")
    }

    @Test func `V43: is counted in one row a day, however many clients come and go`() async throws {
        try await withEngine { engine in
            let store = DailyCountStore(engine.database)
            func count(_ client: ClientID, in team: TeamID) async throws {
                var counts = DailyCounts()
                counts.increment(.signIn, client.rawValue, of: team, at: engine.clock.now)
                for (team, counts) in counts.drain() { try await store.add(counts, in: team) }
            }
            for client in [ClientID.web, .legacy, .web] { try await count(client, in: .acme) }
            // A client of the same name.
            try await count(.web, in: .rival)
            #expect(try sums(engine) == [["ACMETEAM01", "", "3"], ["RIVALTEAM1", "", "1"]])
            try engine.admin("DELETE FROM service_ids WHERE identifier = 'com.acme.legacy'")
            #expect(try engine.admin(Self.used) == [["ACMETEAM01", "com.acme.web"], ["RIVALTEAM1", "com.acme.web"]])
        }
    }

    @Test func `V54: is counted while its client is being changed, and waits for nobody`() async throws {
        try await withEngine { engine in
            _ = try await engine.code()
            let holder = try RowHolder(at: engine.conninfo, "SELECT FROM service_ids FOR UPDATE")
            await engine.traces.finish()
            #expect(try sums(engine) == [["ACMETEAM01", "", "1"]])
            #expect(try engine.admin(Self.used).isEmpty)
            try holder.commit()
            _ = try await engine.code()
            await engine.traces.finish()
            #expect(try engine.admin(Self.used) == [["ACMETEAM01", "com.acme.web"]])
        }
    }
}
