import Bytes
import Domain
import Postgres
import Registry
import Testing

@testable import Accounts
@testable import OAuth
@testable import TestTeams

/// What one team's offers cost another one.
@Suite struct TransferCountTests {
    private func withdraw(_ id: TransferID, _ engine: Engine) async throws {
        let isDone = try await engine.transfers.withdraw(id, in: .acme, by: Engine.member, from: TestTeams.origin)
        #expect(isDone)
    }

    @Test func `V43, V46: a team makes twenty offers a day to another one, however often it withdraws them`()
        async throws
    {
        try await withEngine { engine in
            for _ in 1...AppTransfer.mostOffersADay { try await withdraw(try await engine.offer(), engine) }
            await #expect(throws: TransferRefusal.tooManyToday) { _ = try await engine.offer() }
            #expect(try engine.teams.admin("SELECT FROM app_transfers").count == AppTransfer.mostOffersADay)
            let other = try #require(TeamID(rawValue: "OTHERTEAM1"))
            // Another target has its own count, and another day.
            try await withdraw(try await engine.offer(to: other), engine)
            engine.clock.advance(by: .seconds(86_401))
            #expect(try await engine.accept(try await engine.offer()) == .other)
        }
    }

    @Test func `V43: a team makes a hundred offers a day altogether`() async throws {
        try await withEngine { engine in
            try engine.teams.admin(
                """
                INSERT INTO app_transfers (
                    team_id, transfer_id, target_team, app_id, registration, state, offered_at, settled_at
                )
                SELECT 'ACMETEAM01', translate(left(md5(n::text), 26), '0189', 'ghij'),
                    'TEAM' || lpad(n::text, 6, '0'), 'com.acme.gone', '{}', 'withdrawn', $1::timestamptz, $1::timestamptz
                FROM generate_series(1, 100) AS n
                """, engine.clock.now.description)
            await #expect(throws: TransferRefusal.tooManyToday) { _ = try await engine.offer() }
        }
    }

    @Test func `V42: a team that is busy is offered something all the same`() async throws {
        try await withEngine { engine in
            let holder = try AdminConnection(to: engine.teams.conninfo)
            try holder.execute("BEGIN; SELECT FROM teams WHERE team_id = 'RIVALTEAM1' FOR UPDATE")
            _ = try await engine.offer()
            try holder.execute("ROLLBACK")
        }
    }

    @Test func `V43, V55: a list of offers names Service IDs without their domains and URLs`() async throws {
        try await withEngine { engine in
            _ = try await engine.offer()
            let store = AppTransferStore(engine.teams.database)
            let listed = try #require(try await store.list(in: .rival, at: engine.clock.now).first)
            #expect(listed.registration.services.map(\.identifier) == [ClientID.otherWeb.rawValue])
            #expect(listed.registration.services.allSatisfy { $0.domains.isEmpty && $0.returnURLs.isEmpty })
            let whole = try #require(try await store.find(listed.id, in: .rival, at: engine.clock.now))
            #expect(whole.registration.services.allSatisfy { !$0.returnURLs.isEmpty })
        }
    }

    @Test func `V43: offers that were not accepted go after four weeks`() async throws {
        try await withPurging { teams, system in
            for (state, letter) in [("offered", "a"), ("withdrawn", "b"), ("declined", "c"), ("accepted", "d")] {
                for (days, digit) in [("29", "2"), ("27", "3")] {
                    try teams.admin(
                        """
                        INSERT INTO app_transfers (
                            team_id, transfer_id, target_team, app_id, registration, state, offered_at
                        ) VALUES (
                            'ACMETEAM01', rpad($1, 26, $2), 'RIVALTEAM1', 'com.acme.' || $1 || $2, '{}', $3,
                            now() - $4 * interval '1 day'
                        )
                        """, letter, digit, state, days)
                }
            }
            #expect(try await BatchedPurge.appTransfers.run(on: system) == 3)
            let left = try teams.admin("SELECT left(transfer_id, 2) FROM app_transfers ORDER BY 1")
            #expect(left == [["a3"], ["b3"], ["c3"], ["d2"], ["d3"]])
        }
    }
}
