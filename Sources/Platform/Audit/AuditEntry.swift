public import Core
import Postgres

/// An audit event read from the database, with the names of its actor and target where they are stored.
public struct AuditEntry: Sendable {
    /// Name and email address behind a `sub` in the log; deleted together with the user.
    public struct Person: Hashable, Sendable {
        /// Empty when the user gave no name.
        public let name: String
        public let email: String?

        /// The name, or the email address when the name is empty; nil when there is neither.
        public var shownName: String? { name.isEmpty ? email : name }
    }

    /// Time and id of an event, which order the log and identify the event.
    public struct Place: Hashable, Sendable {
        public let at: Timestamp
        public let id: String

        public init(at: Timestamp, id: String) {
            self.at = at
            self.id = id
        }
    }

    public let id: String
    public let at: Timestamp
    public let actorKind: String
    public let actor: String
    public let action: String
    public let targetKind: String
    public let target: String
    public let outcome: AuditEvent.Outcome
    public let ip: String?
    public let userAgent: String?
    public let requestID: String?
    /// The changed members before and after the action: JSON objects as PostgreSQL prints them.
    public let before: String?
    public let after: String?
    public let actorPerson: Person?
    public let targetPerson: Person?

    public var place: Place { Place(at: at, id: id) }

    init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        at = try row.next()
        actorKind = try row.next()
        actor = try row.next()
        action = try row.next()
        targetKind = try row.next()
        target = try row.next()
        outcome = try row.next()
        ip = try row.next()
        userAgent = try row.next()
        requestID = try row.next()
        before = try row.next()
        after = try row.next()
        actorPerson = try Self.person(&row)
        targetPerson = try Self.person(&row)
    }

    static func all(_ rows: Rows) throws(PostgresFailure) -> [AuditEntry] { try rows.all(AuditEntry.init) }

    private static func person(_ row: inout Row) throws(PostgresFailure) -> Person? {
        let (name, email): (String?, String?) = (try row.next(), try row.next())
        return name.map { Person(name: $0, email: email) }
    }
}

// The columns and joins of an event.
extension AuditEntry {
    /// The stored columns of an event, from a table with the alias `e`.
    static let storedColumns: SQL = """
        e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
        e.request_id, e.before, e.after
        """

    /// The columns that `init` reads, from the result of `naming`.
    static let columns: SQL = """
        e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
        e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email
        """

    /// Joins `events`, which include their team, with the names of actors and targets, under the aliases in `columns`.
    ///
    /// OFFSET 0 keeps PostgreSQL from joining the page with every name in the log: without the number of events it
    /// assumes many.
    static func naming(_ events: SQL) -> SQL {
        """
        (\(events)) AS e
        LEFT JOIN LATERAL (
            SELECT p.name, p.email FROM audit_people p
            WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
            OFFSET 0
        ) AS a ON true
        LEFT JOIN LATERAL (
            SELECT p.name, p.email FROM audit_people p
            WHERE p.team_id = e.team_id AND p.sub = e.target
                AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
            OFFSET 0
        ) AS t ON true
        """
    }
}
