import Platform
import Postgres
import TestSupport
import Testing

@testable import Registry

@Suite struct `Teams` {
    @Test func `are created with their owner and an event, all at once`() async throws {
        try await withAda { environment, ada in
            let id = try await environment.addTeam("Acme", owner: ada)

            let team = try #require(try await environment.teams.find(id))
            #expect(team.settings.name.rawValue == "Acme")
            #expect(team.settings.identitySources == [.directory])
            #expect(team.version == 1)
            #expect(try await environment.members.find(ada, in: id)?.role == .owner)
            #expect(try environment.allActions(in: id) == ["team.created", "member.added"])
        }
    }

    @Test func `are not created for an owner who does not exist`() async throws {
        try await withEnvironment { environment in
            await #expect(throws: TeamStore.Failure.unknownOwner) {
                try await environment.addTeam("Acme", owner: Subject(hexadecimal: "nobody"))
            }

            let count = try environment.admin("SELECT count(*) FROM teams WHERE NOT is_system")
            #expect(count == [["0"]])
        }
    }

    @Test func `V24: never get an id again, not even a deleted team's`() async throws {
        try await withEnvironment { environment in
            try await environment.addTeam("Acme", as: "ACMETEAM01")
            try environment.markDeleted(.acme)

            await #expect(throws: TeamStore.Failure.idTaken) {
                try await environment.addTeam("Rival", as: "ACMETEAM01")
            }
            await #expect(throws: TeamStore.Failure.idTaken) {
                try await environment.addTeam("Rival", as: TeamID.system.rawValue)
            }

            #expect(try await environment.teams.find(try #require(TeamID(rawValue: "ACMETEAM01"))) == nil)
        }
    }

    @Test func `get one id once when 20 want it`() async throws {
        try await withEnvironment { environment in
            let created = try await race(20, refused: TeamStore.Failure.idTaken) { index in
                try await environment.addTeam("Team \(index)", as: "ACMETEAM01")
            }

            #expect(created == 1)
        }
    }

    @Test func `change with before and after on record`() async throws {
        try await withEnvironment { environment in
            let id = try await environment.addTeam("Acme")
            let name = try #require(TeamName(rawValue: "Acme Ltd"))
            var settings = TeamSettings(name: name, mode: .production)
            (settings.identitySources, settings.secondFactor) = ([.apple, .directory], .required)

            let result = try await environment.update(id, to: settings)

            guard case .saved(let team) = result else { return #expect(Bool(false), "\(result)") }
            #expect(team.settings == settings && team.version == 2)
            #expect(try await environment.teams.find(id) == team)
            let events = try environment.admin(
                """
                SELECT before->>'name', after->>'name', after->>'secondFactor' FROM audit_events
                WHERE action = 'team.updated'
                """)
            #expect(events == [["Acme", "Acme Ltd", "required"]])
        }
    }

    @Test func `are never overwritten by who saw an older version`() async throws {
        try await withEnvironment { environment in
            let id = try await environment.addTeam("Acme")

            let results = try await race(10) { index in
                try await environment.update(id, to: environment.settings("Acme \(index)"))
            }

            let winners = results.compactMap { if case .saved(let team) = $0 { team } else { nil } }
            let losers = results.compactMap { if case .conflict(let team) = $0 { team } else { nil } }
            #expect(winners.count == 1)
            #expect(losers.count == 9 && losers.allSatisfy { $0 == winners.first })
        }
    }

    @Test func `that do not exist are not found and not changed`() async throws {
        try await withEnvironment { environment in
            let nowhere = try #require(TeamID(rawValue: "NOWHERE000"))

            let result = try await environment.update(nowhere, to: environment.settings("Acme"))

            guard case .notFound = result else { return #expect(Bool(false), "\(result)") }
            #expect(try await environment.teams.find(nowhere) == nil)
        }
    }

    @Test(arguments: ["Acme", "Ünïcødé 陈", "O'Hara & Söhne <script>"]) func `have names of one line`(name: String) {
        #expect(TeamName(rawValue: " \(name)\u{00A0}")?.rawValue == name)
    }

    @Test(arguments: [("A\nB", "A B"), ("A\0", "A"), ("\u{202E}emcA", "emcA")])
    func `have names that show what they are`(text: String, name: String) {
        #expect(TeamName(rawValue: text)?.rawValue == name)
    }

    @Test(arguments: ["", "  ", "\u{200B}", String(repeating: "a", count: 101)]) func `have no other names`(
        name: String
    ) { #expect(TeamName(rawValue: name) == nil) }
}
