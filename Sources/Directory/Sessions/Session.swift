public import Bytes
import Crypto
import Domain
import Postgres

/// The name of a session that is no secret: what a page may show and a form send back.
public struct SessionID: Hashable, Sendable {
    public let hash: [UInt8]

    /// The name that was stored.
    public init(hash: [UInt8]) {
        self.hash = hash
    }

    /// The session named by `text`, or nil when that is not the name of any.
    public init?(text: String) {
        guard text.utf8.count <= 64, let hash = Base64URL.decode(text), hash.count == SHA256.byteCount else {
            return nil
        }
        self.hash = hash
    }

    public var text: String { Base64URL.encode(hash) }
}

/// A person at a team's hosted pages, known by the token their browser sent.
public struct Session: Sendable {
    public let id: SessionID
    public let user: User
    /// When the person proved who they are: `auth_time` of OpenID Connect Core section 2.
    public let startedAt: Timestamp
    public let lastSeenAt: Timestamp
    public let expiresAt: Timestamp
    public let firstFactor: ProofMethod
    /// Nil for a session that began without one.
    public let secondFactor: ProofMethod?
    /// When the person proved last that it is them.
    public let provedAt: Timestamp

    /// How the person proved who they are.
    public var methods: [ProofMethod] { [firstFactor, secondFactor].compactMap(\.self) }
}

/// A session in a list.
public struct SessionSummary: Sendable {
    public let id: SessionID
    public let startedAt: Timestamp
    public let lastSeenAt: Timestamp
    public let expiresAt: Timestamp
    public let ip: String
    public let userAgent: String

    init(_ row: inout Row) throws(PostgresFailure) {
        id = SessionID(hash: try row.next())
        startedAt = try row.next()
        lastSeenAt = try row.next()
        expiresAt = try row.next()
        ip = try row.next()
        userAgent = try row.next()
    }
}
