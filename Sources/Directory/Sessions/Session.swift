public import Core
public import Crypto
import Postgres

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

    /// Whether one of the user's factors was proved, if there are any: a session that began at a provider proved none.
    public var hasProvedFactor: Bool { factors.isEmpty || firstFactor == .passkey || secondFactor != nil }
}

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

/// Lifetime of a session.
public struct SessionLife: Sendable {
    /// From its beginning, however much it is used.
    public let absolute: Duration
    /// From its last use.
    public let idle: Duration

    public init(absolute: Duration, idle: Duration) {
        self.absolute = absolute
        self.idle = idle
    }

    /// Lifetime at a team's hosted pages: 30 days, 7 of them without use.
    public static let hosted = SessionLife(absolute: .days(30), idle: .days(7))
}

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }
}

/// Secret that identifies the session of a browser.
public typealias SessionToken = Token<SessionPurpose>

public enum SessionPurpose {}
