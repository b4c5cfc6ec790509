public import EventLoop
public import Platform
public import Postgres

extension TeamID {
    public static let acme = named("ACMETEAM01")
    public static let rival = named("RIVALTEAM1")

    private static func named(_ text: String) -> TeamID {
        guard let id = TeamID(rawValue: text) else { preconditionFailure("no team id: \(text)") }
        return id
    }
}

extension TeamDatabase {
    /// Runs `body` as one change by the test, with no name but the team's.
    public func change<Value>(in team: TeamID, _ body: (borrowing Change) async throws -> Value) async throws -> Value {
        try await change(in: team, by: .system("test"), from: .local, body)
    }
}

/// A migrated database of a test, seen from a loop as Pippin sees it.
public struct ConnectedDatabase: OwnedDatabase, Sendable {
    public let conninfo: String
    public let loop: EventLoop
    /// As teams see it.
    public let app: Database
    /// As Pippin itself sees it.
    public let system: Database
    public let database: TeamDatabase

    public var systemDatabase: SystemDatabase { SystemDatabase(system) }

    /// Lends `body`, as a task of a loop of its own, connections to a database: one process as PostgreSQL sees it.
    public static func with(
        _ conninfo: String, _ configure: (inout DatabaseConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (ConnectedDatabase) async throws -> Void
    ) async throws {
        let loop = try EventLoop(name: "test")
        try loop.start()
        defer { loop.stop() }
        let configurations = ["pippin_app", "pippin_system"].map { role in
            var configuration = DatabaseConfiguration.forTests(conninfo, role: role)
            configure(&configuration)
            return configuration
        }
        try await loop.run {
            let databases = configurations.map { Database(loop: loop, configuration: $0) }
            for database in databases { database.open() }
            defer { for database in databases { database.close() } }
            try await body(
                ConnectedDatabase(
                    conninfo: conninfo, loop: loop, app: databases[0], system: databases[1],
                    database: TeamDatabase(databases[0])))
        }
    }
}

/// Lends `body` a migrated database with the teams Acme and Rival, or without teams, as a task of a loop.
public func withConnectedDatabase(
    hasTeams: Bool = true, _ configure: (inout DatabaseConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (ConnectedDatabase) async throws -> Void
) async throws {
    try await withDatabase { conninfo in
        if hasTeams { try TestDatabase.addTeams(to: conninfo) }
        try await ConnectedDatabase.with(conninfo, configure, body)
    }
}

extension TestDatabase {
    /// Adds Acme and Rival as no more than their names; Acme is a sandbox here, unlike in `RegisteredTeams`.
    public static func addTeams(to conninfo: String) throws {
        try execute(
            """
            INSERT INTO teams (team_id, name, mode)
            VALUES ('ACMETEAM01', 'Acme', 'sandbox'), ('RIVALTEAM1', 'Rival', 'production')
            """, in: conninfo)
    }
}
