import Crypto
import Directory
import Domain
import EventLoop
import Postgres
import Registry
import TestDatabase

/// Lends `body` both teams on a loop of theirs, as a task of that loop.
public func withTeams(_ body: @escaping @Sendable (TestTeams) async throws -> Void) async throws {
    try await withTeamsBeside { teams in try await teams.loop.run { try await body(teams) } }
}

/// Lends `body` both teams on a loop of theirs; the body itself runs elsewhere.
public func withTeamsBeside(_ body: (TestTeams) async throws -> Void) async throws {
    try await Turn.shared.take {
        try await withDatabase { conninfo in
            let loop = try EventLoop(name: "teams")
            try loop.start()
            defer { loop.stop() }
            let teams = try await loop.run { try await TestTeams(conninfo: conninfo, loop: loop) }
            let result: Result<Void, any Error>
            do { result = .success(try await body(teams)) } catch { result = .failure(error) }
            try await loop.run { teams.connections.close() }
            try result.get()
        }
    }
}

/// Lets a few databases exist at a time: each holds connections, and a test waits in its turn.
private actor Turn {
    static let shared = Turn(places: 6)
    private var places: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(places: Int) { self.places = places }

    nonisolated func take(_ body: () async throws -> Void) async throws {
        await enter()
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        await leave()
        try result.get()
    }

    private func enter() async {
        if places > 0 { places -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    }

    private func leave() { if waiting.isEmpty { places += 1 } else { waiting.removeFirst().resume() } }
}

extension TestTeams {
    /// Registers both teams; called on the loop.
    fileprivate init(conninfo: String, loop: EventLoop) async throws {
        try AdminConnection(to: conninfo).execute(
            """
            INSERT INTO teams (team_id, name, mode)
            VALUES ('ACMETEAM01', 'Acme', 'production'), ('RIVALTEAM1', 'Rival', 'production')
            """)
        var configuration = Database.Configuration.forTests(conninfo, role: "pippin_app")
        configuration.exclusive = 8
        let connections = Database(loop: loop, configuration: configuration)
        connections.open()
        let clock = TestClock()
        let server = ServerContext(
            publicURL: Self.publicURL, relayDomain: Self.relayDomain,
            keyRing: KeyRing(current: try MasterKey(id: "test", secret: Array(1...32))), sendsMail: false,
            random: .repeatable(), clock: { clock.now })
        let registrar = Registrar(database: TeamDatabase(connections), server: server)
        let people = try await registrar.registerAcme()
        let rivalAda = try await registrar.registerRival()
        self.init(
            conninfo: conninfo, loop: loop, connections: connections, clock: clock, server: server,
            people: People(ada: people[0], ben: people[1], cleo: people[2], rivalAda: rivalAda))
    }
}
