import EventLoop
import TestDatabase

/// Both teams, registered once in a database that is copied for each test; Acme is in production here, unlike in
/// `TestDatabase.addTeams`.
struct RegisteredTeams: Sendable {
    let template: TestDatabase.Template
    let people: People
    /// How often randomness was asked for: a copy goes on from there, as if it had registered the teams itself.
    let calls: Int

    static let alone = Task<RegisteredTeams, any Error> {
        let (template, made) = try await TestDatabase.template(from: .migrated) { conninfo in
            try TestDatabase.execute(
                """
                INSERT INTO teams (team_id, name, mode)
                VALUES ('ACMETEAM01', 'Acme', 'production'), ('RIVALTEAM1', 'Rival', 'production')
                """, in: conninfo)
            let randomness = TestRandomness()
            let people = try await TestTeams.with(conninfo, randomness, people: nil) { teams in
                try await teams.loop.run {
                    let registrar = Registrar(database: teams.database, server: teams.server)
                    let people = try await registrar.registerAcme()
                    let rivalAda = try await registrar.registerRival()
                    return People(ada: people[0], ben: people[1], cleo: people[2], rivalAda: rivalAda)
                }
            }
            return (people, randomness.calls)
        }
        return RegisteredTeams(template: template, people: made.0, calls: made.1)
    }

    /// The same with Acme's group at the Apple simulator, and the simulator at Acme.
    static let atApple = Task<RegisteredTeams, any Error> {
        let alone = try await RegisteredTeams.alone.value
        let (template, calls) = try await TestDatabase.template(from: alone.template) { conninfo in
            let randomness = TestRandomness(after: alone.calls)
            try await TestTeams.with(conninfo, randomness, people: alone.people) { teams in
                try await teams.loop.run { try await teams.registerAtApple() }
            }
            return randomness.calls
        }
        return RegisteredTeams(template: template, people: alone.people, calls: calls)
    }
}
