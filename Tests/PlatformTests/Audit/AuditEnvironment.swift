import Core
import EventLoop
import Platform
import Postgres
@_exported import TestDatabase
import Testing

/// A migrated database with the teams Acme and Rival, seen from a loop as Pippin sees it.
struct AuditEnvironment: Sendable, OwnedDatabase {
    static let ada = Subject(hexadecimal: "ada")
    static let ben = Subject(hexadecimal: "ben")
    static let origin = Origin(ip: "203.0.113.7", userAgent: "Test/1.0", requestID: "request-1")

    let conninfo: String
    let database: TeamDatabase
    let system: SystemDatabase

    var store: AuditStore { AuditStore(database) }
    var search: AuditSearchStore { AuditSearchStore(database) }

    /// Writes an event as stores do.
    func record(_ event: AuditEvent, in team: TeamID = .acme) async throws {
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
    func targets(_ filter: AuditFilter, in team: TeamID = .acme) async throws -> [String] {
        try await search.page(matching: filter, in: team).entries.map(\.target)
    }
}

/// Lends `body` a world of its own, on its loop.
func withAuditEnvironment(_ body: @escaping @Sendable (AuditEnvironment) async throws -> Void) async throws {
    try await withConnectedDatabase { connected in
        try await body(
            AuditEnvironment(
                conninfo: connected.conninfo, database: connected.database, system: connected.systemDatabase))
    }
}

extension AuditFilter {
    /// One that differs from that which finds everything.
    init(_ change: (inout AuditFilter) -> Void) {
        self.init()
        change(&self)
    }
}
