import Audit
import Bytes
import Domain
import EventLoop
import Postgres
import TestDatabase
import Testing

/// A migrated database with the teams Acme and Rival, seen from a loop as Pippin sees it.
struct TestEnvironment: Sendable {
    static let acme = team("ACMETEAM01")
    static let rival = team("RIVALTEAM1")
    static let ada = Subject(hexadecimal: "ada")
    static let ben = Subject(hexadecimal: "ben")
    static let origin = Origin(ip: "203.0.113.7", userAgent: "Test/1.0", requestID: "request-1")

    let conninfo: String
    let database: TeamDatabase
    let system: SystemDatabase

    var store: AuditStore { AuditStore(database) }
    var search: AuditSearchStore { AuditSearchStore(database) }

    /// Runs a statement beyond the wall, as the owner of the database.
    @discardableResult func admin(_ statement: String, _ values: String?...) throws -> [[String?]] {
        try AdminConnection(to: conninfo).execute(statement, values)
    }

    func count(_ table: String, in team: TeamID = acme) throws -> Int? {
        try admin("SELECT count(*) FROM \(table) WHERE team_id = $1", team.rawValue)[0][0].flatMap { Int($0) }
    }

    /// Writes an event as stores do.
    func record(_ event: AuditEvent, in team: TeamID = acme) async throws {
        try await database.query(event.insertion(in: team), in: team)
    }

    /// An App ID was changed by Ada, unless said otherwise.
    static func event(
        _ action: String = "app_id.updated", by actor: Actor = .member(ada),
        on target: AuditEvent.Target = AuditEvent.Target("app_id", "com.acme.app"), from ip: String = "203.0.113.7",
        after: JSONValue? = nil, outcome: AuditEvent.Outcome = .succeeded
    ) -> AuditEvent {
        AuditEvent(
            action, by: actor, on: target, from: Origin(ip: ip, userAgent: "Test/1.0", requestID: "request-1"),
            after: after, outcome: outcome)
    }

    /// Adds a user, to the system team a console account.
    func addPerson(_ subject: Subject, _ name: String, to team: TeamID = .system) throws {
        try admin(
            "INSERT INTO users (team_id, sub, given_name, email) VALUES ($1, $2, $3, lower($3) || '@acme.example')",
            team.rawValue, subject.rawValue, name)
    }

    /// The targets of the events that a filter finds, newest first.
    func targets(_ filter: AuditFilter, in team: TeamID = acme) async throws -> [String] {
        try await search.page(matching: filter, in: team).entries.map(\.target)
    }

    private static func team(_ id: String) -> TeamID {
        guard let team = TeamID(rawValue: id) else { preconditionFailure(id) }
        return team
    }
}

/// Lends `body` a world of its own, on its loop.
func withEnvironment(_ body: @escaping @Sendable (TestEnvironment) async throws -> Void) async throws {
    try await withDatabase { conninfo in
        try AdminConnection(to: conninfo).execute(
            """
            INSERT INTO teams (team_id, name, mode)
            VALUES ('ACMETEAM01', 'Acme', 'sandbox'), ('RIVALTEAM1', 'Rival', 'production')
            """)
        let loop = try EventLoop(name: "audit-test")
        try loop.start()
        defer { loop.stop() }
        try await loop.run {
            let app = Database(loop: loop, configuration: .forTests(conninfo, role: "pippin_app"))
            let system = Database(loop: loop, configuration: .forTests(conninfo, role: "pippin_system"))
            app.open()
            system.open()
            defer {
                app.close()
                system.close()
            }
            try await body(
                TestEnvironment(conninfo: conninfo, database: TeamDatabase(app), system: SystemDatabase(system)))
        }
    }
}
