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
