public import Bytes
import Crypto
public import Postgres

/// A document of Apple's as it is known, and as it was seen last.
public struct WatchedDocument: Hashable, Sendable {
    public enum Name: String, SQLText, CaseIterable, Sendable {
        /// Issuer, endpoints, algorithms.
        case discovery
        case keys
    }

    /// One entry that is not what it was; nil where there was none, or is none.
    public struct Difference: Hashable, Sendable {
        public let name: String
        public let known: String?
        public let seen: String?
    }

    public let name: Name
    /// What it was compared with.
    public let known: [String: String]
    /// What an operator took for known, or of what is pinned nowhere, what was seen first.
    let approved: [String: String]?
    public let seen: [String: String]
    public let seenAt: Timestamp
    /// Nil while it is as it is known.
    public let differsSince: Timestamp?

    /// What is not as it is known, in the order of names.
    public var differences: [Difference] {
        Set(known.keys).union(seen.keys).sorted()
            .map { Difference(name: $0, known: known[$0], seen: seen[$0]) }
            .filter { $0.known != $0.seen }
    }

    /// Stands for what was seen, so that nobody approves what they have not looked at.
    public var seenDigest: String { Self.digest(of: seen) }

    /// Members of a JSON object have no order, so they get one.
    private static func digest(of entries: [String: String]) -> String {
        let lines = entries.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
        return Hex.encode(Array(SHA256.hash(lines.joined())))
    }

    static func json(of entries: [String: String]) -> String {
        String(decoding: JSON.encode(JSONValue.object(entries.mapValues { .string($0) })), as: UTF8.self)
    }

    static func entries(in json: String) -> [String: String] {
        guard case .object(let members)? = try? JSON.decode(JSONValue.self, from: Array(json.utf8)) else {
            return [:]
        }
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
