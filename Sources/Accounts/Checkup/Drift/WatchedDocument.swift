public import Core
import Crypto
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
