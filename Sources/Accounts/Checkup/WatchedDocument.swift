public import Core
import Crypto
public import Platform
public import Postgres

/// A document of Apple in its known version and as last seen.
public struct WatchedDocument: Hashable, Sendable {
    public enum Name: String, SQLText, CaseIterable, Sendable {
        /// Issuer, endpoints, algorithms.
        case discovery
        case keys
    }

    /// An entry whose value differs; a value is nil where the entry is absent.
    public struct Difference: Hashable, Sendable {
        public let name: String
        public let known: String?
        public let seen: String?
    }

    public let name: Name
    /// The version it was compared with.
    public let known: [String: String]
    /// The version an operator approved; for a document without pins, initially the first one seen.
    let approved: [String: String]?
    public let seen: [String: String]
    public let seenAt: Timestamp
    /// Nil while it equals the known version.
    public let differsSince: Timestamp?

    /// Entries that differ from the known version, in the order of names.
    public var differences: [Difference] {
        Set(known.keys).union(seen.keys).sorted().map { Difference(name: $0, known: known[$0], seen: seen[$0]) }.filter
        { $0.known != $0.seen }
    }

    /// Digest of the version last seen, so that an operator approves only the version that was displayed.
    public var seenDigest: String { Self.digest(of: seen) }

    /// SHA-256 over the entries in the order of names, because members of a JSON object have no order.
    private static func digest(of entries: [String: String]) -> String {
        let lines = entries.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
        return Hex.encode(Array(SHA256.hash(lines.joined())))
    }

    static func json(of entries: [String: String]) -> String {
        String(decoding: JSON.encode(JSONValue.object(entries.mapValues { .string($0) })), as: UTF8.self)
    }

    static func entries(in json: String) -> [String: String] {
        guard case .object(let members)? = try? JSON.decode(JSONValue.self, from: Array(json.utf8)) else { return [:] }
        return members.compactMapValues(\.string)
    }

    /// Reads `WatchedDocumentStore.columns`.
    init(_ row: inout Row) throws(PostgresFailure) {
        name = try row.next()
        known = Self.entries(in: try row.next())
        approved = try row.next(String?.self).map(Self.entries)
        seen = Self.entries(in: try row.next())
        seenAt = try row.next()
        differsSince = try row.next()
    }
}

/// Documents that Apple publishes, stored with the system team.
public struct WatchedDocumentStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// The documents seen so far, in the order of their names.
    public func list() async throws(PostgresFailure) -> [WatchedDocument] {
        let rows = try await database.query(
            "SELECT \(Self.columns) FROM apple_publications WHERE team_id = \(TeamID.system) ORDER BY document",
            in: .system)
        return try rows.all(WatchedDocument.init)
    }

    /// Stores the version seen and compares it with the known one.
    ///
    /// Known is what this release pins or an operator approved. Pins are not stored as approved, so that another
    /// release compares with its own pins.
    /// - Parameter pinned: the pinned entries; nil for a document without pins, whose first version seen is known.
    /// - Returns: the document when it differs from the known version in a new way, else nil.
    func note(_ seen: [String: String], as name: WatchedDocument.Name, pinned: [String: String]?, at moment: Timestamp)
        async throws -> WatchedDocument?
    {
        try await database.transaction(in: .system) { transaction in
            let before = try await Self.lock(name, transaction)
            let approved = before?.approved ?? (pinned == nil ? seen : nil)
            let isKnown = seen == pinned || seen == approved
            let known = isKnown ? seen : approved ?? pinned ?? seen
            let since = isKnown ? nil : before?.differsSince ?? moment
            try await transaction.query(
                """
                INSERT INTO apple_publications (team_id, document, known, approved, seen, seen_at, differs_since)
                VALUES (
                    \(TeamID.system), \(name), \(WatchedDocument.json(of: known))::jsonb,
                    \(approved.map(WatchedDocument.json))::jsonb, \(WatchedDocument.json(of: seen))::jsonb, \(moment),
                    \(since)
                )
                ON CONFLICT (team_id, document) DO UPDATE
                SET known = excluded.known, approved = excluded.approved, seen = excluded.seen,
                    seen_at = excluded.seen_at, differs_since = excluded.differs_since
                """)
            guard !isKnown, before?.seen != seen || before?.differsSince == nil else { return nil }
            return try await Self.lock(name, transaction)
        }
    }

    /// Makes the version last seen the known one: this ends the alarm and changes nothing else.
    ///
    /// - Parameter digest: the digest of the version that the operator reviewed.
    /// - Returns: false when another version was seen since, or nothing differs.
    public func approve(_ name: WatchedDocument.Name, seen digest: String, by actor: Actor, from origin: Origin)
        async throws -> Bool
    {
        try await database.change(in: .system, by: actor, from: origin) { change in
            guard let document = try await Self.lock(name, change.transaction), document.differsSince != nil,
                document.seenDigest == digest
            else { return false }
            try await change.query(
                """
                UPDATE apple_publications SET known = seen, approved = seen, differs_since = NULL
                WHERE team_id = \(TeamID.system) AND document = \(name)
                """)
            let differences = document.differences
            let event = change.event(
                "apple_publication.approved", on: AuditEvent.Target("apple_publication", name.rawValue),
                before: Self.json(differences.map { ($0.name, $0.known) }),
                after: Self.json(differences.map { ($0.name, $0.seen) }))
            try await change.record(event)
            return true
        }
    }

    private static func json(_ entries: [(String, String?)]) -> JSONValue {
        .object(Dictionary(entries.map { ($0.0, $0.1.map { JSONValue.string($0) } ?? .null) }) { $1 })
    }

    private static let columns: SQL = "document, known::text, approved::text, seen::text, seen_at, differs_since"

    private static func lock(_ name: WatchedDocument.Name, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> WatchedDocument?
    {
        let rows = try await transaction.query(
            """
            SELECT \(columns) FROM apple_publications
            WHERE team_id = \(TeamID.system) AND document = \(name) FOR UPDATE
            """)
        return try rows.firstValue(WatchedDocument.init)
    }
}
