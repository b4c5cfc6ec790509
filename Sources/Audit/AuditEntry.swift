public import Bytes
import Domain
import Postgres

/// An event as it is read back, with the names that lie beside it.
public struct AuditEntry: Sendable {
    /// Who an id in the log is; gone once the person is deleted.
    public struct Person: Hashable, Sendable {
        /// Empty for somebody who gave none.
        public let name: String
        public let email: String?

        /// What a page calls the person, or nil when there is neither name nor address.
        public var shownName: String? {
            name.isEmpty ? email : name
        }
    }

    /// The place of an event in the log, which is its name too.
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
    /// JSON objects as PostgreSQL prints them.
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

    static func all(_ rows: Rows) throws(PostgresFailure) -> [AuditEntry] {
        try rows.all(AuditEntry.init)
    }

    private static func person(_ row: inout Row) throws(PostgresFailure) -> Person? {
        let (name, email): (String?, String?) = (try row.next(), try row.next())
        return name.map { Person(name: $0, email: email) }
    }
}
