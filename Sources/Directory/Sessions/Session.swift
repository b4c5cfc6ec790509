public import Core
import Crypto
import Platform
import Postgres

/// Public ID of a session, which pages may show and forms send back.
public struct SessionID: Hashable, Sendable {
    public let hash: [UInt8]

    /// Creates the ID from its stored hash.
    public init(hash: [UInt8]) { self.hash = hash }

    /// Parses an ID; nil if `text` cannot be one.
    public init?(text: String) {
        guard text.utf8.count <= 64, let hash = Base64URL.decode(text), hash.count == SHA256.byteCount else {
            return nil
        }
        self.hash = hash
    }

    public var text: String { Base64URL.encode(hash) }
}

/// Session of a user at a team's hosted pages, found by the token that the browser sent.
public struct Session: Sendable {
    public let id: SessionID
    public let user: User
    /// Time of authentication: `auth_time` of OpenID Connect Core section 2.
    public let startedAt: Timestamp
    public let lastSeenAt: Timestamp
    public let expiresAt: Timestamp
    public let firstFactor: ProofMethod
    /// Nil for a session that began without one.
    public let secondFactor: ProofMethod?
    /// Time of the user's latest proof.
    public let provedAt: Timestamp
    /// The user's second factors.
    public let factors: EnrolledFactors

    /// Methods by which the user authenticated.
    public var methods: [ProofMethod] { [firstFactor, secondFactor].compactMap(\.self) }
}

/// Session in a list.
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
