import Core
import Crypto
import Directory
import EventLoop
import Platform
import Postgres
import Registry
import TestSupport
import Testing

@testable import Accounts
@testable import OAuth
@testable import TestTeams

/// Offers end, and people go with an app only while they use it.
@Suite struct TransferEndTests {
    private static let told = "SELECT FROM transferred_people"

    @Test func `S38: whoever withdraws before they are asked for does not move`() async throws {
        try await withMovedApp { engine in
            let question: Changes = ["transfer_sub": try await engine.transferName()]
            #expect(try engine.admin(Self.told).count == 1)
            #expect(try await engine.endConsent(for: .other))

            #expect(try engine.admin(Self.told).isEmpty)
            #expect(try await engine.refusal(migrating: question, in: .rival) == .personUnknown)
            let again: Changes = ["sub": engine.ada.rawValue, "target": "RIVALTEAM1"]
            #expect(try await engine.refusal(migrating: again, in: .acme) == .personUnknown)
        }
    }

    @Test func `S38: whoever is deleted before they are asked for does not move`() async throws {
        try await withMovedApp { engine in
            _ = try await engine.transferName()
            let deletion = AccountDeletion(engine.database, random: .system)
            _ = try await deletion.delete(engine.ada, in: .acme, by: .command("test"), from: .test)
            #expect(try engine.admin(Self.told).isEmpty)
        }
    }

    @Test func `S38: whoever moved stays, though they withdraw where they were, or the app goes there`() async throws {
        try await withMovedApp { engine in
            let question: Changes = ["transfer_sub": try await engine.transferName()]
            let arrived = try await engine.migrate(question, in: .rival)
            #expect(try await engine.endConsent(for: .other))
            #expect(try await engine.migrate(question, in: .rival) == arrived)
        }
        try await withMovedApp { engine in
            _ = try await engine.transferName()
            _ = try await engine.database.change(in: .acme, by: Engine.member, from: .test) { change in
                try await AppIDStore(engine.database).delete(.other, reason: "moved", change)
            }
            #expect(try engine.admin(Self.told).count == 1, "nobody has withdrawn")
        }
    }

    @Test func `S38, V54: nobody is told of whose consent ends at this moment`() async throws {
        try await withMovedApp { engine in
            let question: Changes = ["sub": engine.ada.rawValue, "target": "RIVALTEAM1"]
            let refusal = try await engine.teams.hold(
                engine.ada.rawValue,
                while: {
                    Task(executorPreference: engine.teams.loop) {
                        try await engine.refusal(migrating: question, in: .acme)
                    }
                }, then: [("DELETE FROM consents WHERE team_id = 'ACMETEAM01'", [])])
            #expect(try await refusal.value == .personUnknown)
            #expect(try engine.admin(Self.told).isEmpty)
        }
    }

    @Test func `S38: teams that are closed neither give nor take`() async throws {
        try await withEngine { engine in
            let offer = try await engine.offer()
            for column in ["closed_at", "deleted_at"] {
                for team in ["ACMETEAM01", "RIVALTEAM1"] {
                    try engine.admin("UPDATE teams SET \(column) = now() WHERE team_id = $1", team)
                    #expect(try await engine.accept(offer) == nil, "\(team) \(column)")
                    try engine.admin("UPDATE teams SET \(column) = NULL")
                }
            }
            #expect(try engine.transferStates() == ["offered"])
            #expect(try await engine.accept(offer) == .other)
        }
    }

    @Test func `S38: people neither go to a closed team nor come from one`() async throws {
        try await withMovedApp { engine in
            let name = try await engine.transferName()
            let question: Changes = ["sub": engine.ada.rawValue, "target": "RIVALTEAM1"]
            try engine.setClosed(.rival)
            #expect(try await engine.refusal(migrating: question, in: .acme) == .personUnknown)
            try engine.setClosed(.rival, false)
            try engine.setClosed(.acme)
            #expect(try await engine.refusal(migrating: ["transfer_sub": name], in: .rival) == .personUnknown)
        }
    }

    @Test func `S38: an offer stands for fourteen days, and may be made again then`() async throws {
        try await withEngine { engine in
            let store = AppTransferStore(engine.database)
            let id = try await engine.offer()
            engine.clock.advance(by: AppTransfer.lifetime - .seconds(1))
            #expect(try await store.list(in: .rival, at: engine.clock.now).map(\.state) == [.offered])
            engine.clock.advance(by: .seconds(1))
            for team in [TeamID.acme, .rival] {
                #expect(try await store.list(in: team, at: engine.clock.now).map(\.state) == [.expired])
            }
            #expect(try await engine.accept(id) == nil)
            let isDeclined = try await engine.transfers.decline(id, in: .rival, by: Engine.member, from: .test)
            #expect(!isDeclined)
            let second = try await engine.offer()
            #expect(try await store.list(in: .rival, at: engine.clock.now).map(\.state) == [.offered, .expired])
            #expect(try await engine.accept(second) == .other)
        }
    }

    @Test func `S38: a team's offers are twenty, at once or one by one, and hide nobody else's`() async throws {
        try await withEngine { engine in
            try engine.addApps(30, named: "com.acme.more")
            let made = try await race(30, refused: TransferRefusal.tooMany) { number in
                _ = try await engine.offer(.named("com.acme.more\(number + 1)"))
            }
            #expect(made == Quota.offers.count)
            // What is settled makes room, on another day, and of each other team twenty are shown.
            try engine.admin("UPDATE app_transfers SET state = 'declined', settled_at = now()")
            engine.clock.advance(by: .seconds(86_400))
            for number in 1...20 { _ = try await engine.offer(.named("com.acme.more\(number)")) }
            let shown = try await AppTransferStore(engine.database).list(in: .rival, at: engine.clock.now)
            #expect(shown.count == 20 && shown.allSatisfy { $0.state == .offered })
        }
    }

    @Test func `S38, V54: of an acceptance and the closing of either team one comes first`() async throws {
        try await withEngine { engine in
            let id = try await engine.offer()
            for team in [TeamID.acme, .rival] {
                let held = "SELECT FROM teams WHERE team_id = $1 FOR NO KEY UPDATE"
                let acceptance = try await engine.teams.hold(
                    (held, [team.rawValue]),
                    while: { Task(executorPreference: engine.teams.loop) { try await engine.accept(id) } },
                    then: [("UPDATE teams SET closed_at = now() WHERE team_id = $1", [team.rawValue])])
                #expect(try await acceptance.value == nil, "\(team)")
                #expect(try engine.transferStates() == ["offered"])
                try engine.admin("UPDATE teams SET closed_at = NULL")
            }
        }
    }
}
