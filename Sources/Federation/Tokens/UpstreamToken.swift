public import Core
import OAuth
public import Platform
public import Postgres

/// Refresh token that a provider issued for a user, opened to be sent back.
public struct UpstreamToken: Sendable {
    let id: [UInt8]
    public let provider: ProviderID
    public let subject: Subject
    /// The provider's identifier of the user; nil if unknown.
    let identifier: Subject?
    /// The primary App ID of the group that the user signed in to.
    public let primaryAppID: ClientID
    /// The client at the provider that the token was issued to.
    public let clientID: String
    let createdAt: Timestamp
    /// Nil if the master key that sealed it is missing.
    let text: String?
}

/// Data about an upstream token, without its text.
public struct UpstreamTokenSummary: Sendable {
    /// State of an upstream token.
    public enum State: String, SQLText, CaseIterable, Sendable {
        case live
        /// Its revocation is in the outbox.
        case ending
        case revoked
        /// It cannot be revoked.
        case refused
    }

    public let id: UpstreamTokenID
    public let subject: Subject
    /// Whether the user still exists: a token may outlive its user.
    public let hasPerson: Bool
    public let primaryAppID: ClientID
    public let clientID: String
    public let state: State
    /// Why the token cannot be revoked or, if live, validated.
    public let problem: UpstreamTokenProblem?
    public let problemAt: Timestamp?
    public let createdAt: Timestamp
    public let validatedAt: Timestamp?
    public let settledAt: Timestamp?
}

/// ID of an upstream token: the first 16 bytes of its SHA-256, as 32 hexadecimal digits.
public struct UpstreamTokenID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) {
        guard let octets = Hex.decode(rawValue), octets.count == 16 else { return nil }
        self.rawValue = Hex.encode(octets)
    }

    init(_ octets: [UInt8]) { rawValue = Hex.encode(octets) }

    var octets: [UInt8] { Hex.decode(rawValue) ?? [] }

    public var description: String { rawValue }
}

/// Reason for which a token cannot be revoked or validated; a closed list, for which pages have localized texts.
public enum UpstreamTokenProblem: String, CaseIterable, Sendable {
    /// The group is no longer connected to the provider.
    case unconnected
    /// The provider rejects the client secret: key, team or client do not match.
    case client
    /// The provider rejects the token itself.
    case token
    /// The provider was unreachable, or reported errors, in all attempts.
    case unreachable
    /// The master key that sealed the token is missing.
    case sealed
    /// The attempts ended before the provider answered.
    case abandoned

    init(_ cause: RefusalCause) {
        self =
            switch cause {
            case .upstreamAbsent: .unconnected
            case .upstreamClient: .client
            case .upstreamCode, .upstreamRequest: .token
            default: .unreachable
            }
    }
}
