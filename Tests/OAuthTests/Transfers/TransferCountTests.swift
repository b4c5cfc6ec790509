import Core
import Platform
import Postgres
import Registry
import Testing

@testable import Accounts
@testable import OAuth
@testable import TestTeams

/// What one team's offers cost another one.
@Suite struct TransferCountTests {
    private func withdraw(_ id: TransferID, _ engine: Engine) async throws {
        let isDone = try await engine.transfers.withdraw(id, in: .acme, by: Engine.member, from: .test)
        #expect(isDone)
    }

    @Test func `V43, V46: a team makes twenty offers a day to another, however often it withdraws them`() async throws {
        try await withEngine { engine in
            for _ in 1...Quota.offersToTeam.count { try await withdraw(try await engine.offer(), engine) }
            await #expect(throws: TransferRefusal.tooManyToday) { _ = try await engine.offer() }
            #expect(try engine.admin("SELECT FROM app_transfers").count == Quota.offersToTeam.count)
            let other = try #require(TeamID(rawValue: "OTHERTEAM1"))
            // Another target has its own count, and another day.
            try await withdraw(try await engine.offer(to: other), engine)
            engine.clock.advance(by: .seconds(86_401))
            #expect(try await engine.accept(try await engine.offer()) == .other)
        }
    }

    @Test func `V43: a team makes a hundred offers a day altogether`() async throws {
        try await withEngine { engine in
            try engine.addTransfers(
                Quota.offersADay.count, "withdrawn", from: "ACMETEAM01", to: "OTHERTEAM1",
                at: engine.clock.now.description)
            await #expect(throws: TransferRefusal.tooManyToday) { _ = try await engine.offer() }
        }
    }

    @Test func `V43: a team that is busy is offered something all the same`() async throws {
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
            let store = AppTransferStore(engine.database)
            let listed = try #require(try await store.list(in: .rival, at: engine.clock.now).first)
            #expect(listed.registration.services.map(\.identifier) == [ClientID.otherWeb.rawValue])
            #expect(listed.registration.services.allSatisfy { $0.settings["returnURLs"] == [] })
            let whole = try #require(try await store.find(listed.id, in: .rival, at: engine.clock.now))
            #expect(whole.registration.services.allSatisfy { $0.settings["returnURLs"] != [] })
        }
    }
}

/// What is kept of transfers that were accepted.
@Suite struct AcceptedTransferTests {
    @Test func `V43: a team of which a hundred were taken in a day offers no more, and another does`() async throws {
        try await withEngine { engine in
            try engine.addTransfers(
                Quota.acceptedADay.count, from: "ACMETEAM01", to: "RIVALTEAM1", at: engine.clock.now.description)

            await #expect(throws: TransferRefusal.tooManyToday) { _ = try await engine.offer() }

            _ = try await engine.transfers.offer(.rivalApp, to: .acme, in: .rival, by: Engine.member, from: .test)
            engine.clock.advance(by: .seconds(86_401))
            #expect(try await engine.accept(try await engine.offer()) == .other)
        }
    }

    @Test func `V43: a team that has taken a hundred in a day takes no more, and another one does`() async throws {
        try await withEngine { engine in
            let third = try #require(TeamID(rawValue: "THIRDTEAM1"))
            for team in ["OTHERTEAM1", third.rawValue] {
                try engine.admin("INSERT INTO teams (team_id, name, mode) VALUES ($1, 'Team', 'production')", team)
            }
            try engine.addTransfers(
                Quota.acceptedADay.count, from: "OTHERTEAM1", to: "RIVALTEAM1", at: engine.clock.now.description)
            let offer = try await engine.offer()

            await #expect(throws: TransferRefusal.tooManyTaken) { _ = try await engine.accept(offer) }

            let left = try engine.admin("SELECT state FROM app_transfers WHERE team_id = 'ACMETEAM01'")
            #expect(left == [["offered"]], "it stands")
            #expect(try engine.admin("SELECT FROM app_ids WHERE identifier = 'com.acme.other'").count == 1)
            try engine.addApps(1, named: "com.acme.more")
            let more = ClientID.named("com.acme.more1")
            #expect(try await engine.accept(try await engine.offer(more, to: third), in: third) == more)
            engine.clock.advance(by: .seconds(86_401))
            #expect(try await engine.accept(offer) == .other, "on another day")
        }
    }

    @Test func `V43: accepted ones go once neither team needs them, and the others stay`() async throws {
        try await withRetention { teams, retention in
            // The giver has `com.acme.app` yet; it has `com.acme.sold` no more; `com.acme.back` came back.
            for (id, source, target, app, days) in [
                ("a", "ACMETEAM01", "RIVALTEAM1", "com.acme.app", "70"),
                ("b", "ACMETEAM01", "RIVALTEAM1", "com.acme.sold", "62"),
                ("c", "ACMETEAM01", "RIVALTEAM1", "com.acme.sold", "60"),
                ("d", "ACMETEAM01", "RIVALTEAM1", "com.acme.back", "90"),
                ("e", "RIVALTEAM1", "ACMETEAM01", "com.acme.back", "80"),
                ("f", "ACMETEAM01", "RIVALTEAM1", "com.acme.other", "200"),
                ("g", "RIVALTEAM1", "ACMETEAM01", "com.acme.other", "100"),
                ("h", "ACMETEAM01", "RIVALTEAM1", "com.acme.other", "65"),
            ] {
                try teams.admin(
                    """
                    INSERT INTO app_transfers (
                        team_id, transfer_id, target_team, app_id, registration, state, offered_at, settled_at
                    ) VALUES (
                        $2, rpad($1, 26, 'x'), $3, $4, '{}', 'accepted', now() - $5 * interval '1 day',
                        now() - $5 * interval '1 day'
                    )
                    """, id, source, target, app, days)
            }
            // That one came back is known until the row goes by which it was gone.
            #expect(try await retention.apply("app_transfers.past") == 4)
            #expect(try Self.left(teams) == ["a", "c", "e", "h"])
            #expect(try await retention.apply("app_transfers.past") == 1)
            #expect(try Self.left(teams) == ["a", "c", "h"])
        }
    }

    private static func left(_ teams: TestTeams) throws -> [String?] {
        try teams.admin("SELECT left(transfer_id, 1) FROM app_transfers ORDER BY 1").map { $0[0] }
    }
}
