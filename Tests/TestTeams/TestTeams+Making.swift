import Crypto
import EventLoop
import OAuth
import Platform
import Postgres
import TestDatabase

/// Lends `body` both teams on a loop of theirs, as a task of that loop.
public func withTeams(_ body: @escaping @Sendable (TestTeams) async throws -> Void) async throws {
    try await withTeamsBeside { teams in try await teams.loop.run { try await body(teams) } }
}

/// Lends `body` both teams on a loop of theirs; the body itself runs elsewhere.
///
/// - Parameter isAtApple: whether Acme is registered at the Apple simulator.
public func withTeamsBeside(isAtApple: Bool = false, _ body: (TestTeams) async throws -> Void) async throws {
    let registered = try await (isAtApple ? RegisteredTeams.atApple : RegisteredTeams.alone).value
    try await withDatabase(from: registered.template) { conninfo in
        try await TestTeams.with(conninfo, TestRandomness(after: registered.calls), people: registered.people, body)
    }
}

extension TestTeams {
    /// Connects to the database of both teams; the body runs elsewhere than on their loop.
    ///
    /// - Parameter people: those of the teams; nil before they are registered.
    static func with<Value: Sendable>(
        _ conninfo: String, _ randomness: TestRandomness, people: People?, _ body: (TestTeams) async throws -> Value
    ) async throws -> Value {
        let loop = try EventLoop(name: "teams")
        try loop.start()
        defer { loop.stop() }
        var configuration = DatabaseConfiguration.forTests(conninfo, role: "pippin_app")
        configuration.exclusive = 8
        let connections = try await loop.run { [configuration] in
            let connections = Database(loop: loop, configuration: configuration)
            connections.open()
            return connections
        }
        let clock = TestClock()
        let server = ServerContext(
            publicURL: publicURL, relayDomain: relayDomain,
            keyRing: KeyRing(current: try MasterKey(id: "test", secret: Array(1...32))), sendsMail: false,
            random: randomness.source, clock: { clock.now })
        let nobody = Subject(hexadecimal: "0")
        let teams = TestTeams(
            conninfo: conninfo, loop: loop, connections: connections, clock: clock, server: server,
            people: people ?? People(ada: nobody, ben: nobody, cleo: nobody, rivalAda: nobody),
            database: TeamDatabase(connections))
        let result: Result<Value, any Error>
        do { result = .success(try await body(teams)) } catch { result = .failure(error) }
        try await loop.run { connections.close() }
        return try result.get()
    }
}
