public import Bytes
public import Directory
public import Domain
public import Postgres

/// A refresh token that a provider gave for a person, opened to be sent back there.
public struct ProviderToken: Sendable {
    let id: [UInt8]
    public let provider: ProviderID
    public let subject: Subject
    /// What the provider calls the person; nil in rows of older releases, and where nobody can say.
    let identifier: Subject?
    /// The primary App ID of the group that the person came to.
    public let group: ClientID
    /// The client at the provider that the token was given to.
    public let clientID: ClientID
    /// Nil when the master key that sealed it is not here.
    let text: String?
}

/// What is known of such a token, without the token.
public struct ProviderTokenSummary: Sendable {
    /// What has become of a token.
    public enum State: String, SQLText, CaseIterable, Sendable {
        case live
        /// Its revocation is in the outbox.
        case ending
        case revoked
        /// It cannot be revoked.
        case refused
    }

    public let id: ProviderTokenID
    public let subject: Subject
    /// Whether the person is still in the team: a token may outlive them.
    public let hasPerson: Bool
    public let group: ClientID
    public let clientID: ClientID
    public let state: State
    /// Why it cannot be revoked or, of a live one, validated.
    public let problem: ProviderTokenProblem?
    public let problemAt: Timestamp?
    public let createdAt: Timestamp
    public let validatedAt: Timestamp?
    public let settledAt: Timestamp?
}

/// Names a token of a provider: the first 16 octets of its SHA-256, as 32 hexadecimal digits.
public struct ProviderTokenID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) {
        guard let octets = Hex.decode(rawValue), octets.count == 16 else { return nil }
        self.rawValue = Hex.encode(octets)
    }

    init(_ octets: [UInt8]) {
        rawValue = Hex.encode(octets)
    }

    var octets: [UInt8] { Hex.decode(rawValue) ?? [] }

    public var description: String { rawValue }
}

/// Why a provider does not do what is asked of it with a token, as one of a closed list that pages have words for.
public enum ProviderTokenProblem: String, CaseIterable, Sendable {
    /// The group of apps is not connected to the provider any more.
    case unconnected
    /// The provider does not take our client secret: key, team or client do not fit.
    case client
    /// The provider refuses the token itself.
    case token
    /// The provider could not be reached, or was in trouble, through all attempts.
    case unreachable
    /// The master key that sealed the token is not here.
    case sealed
    /// The attempts ended before the provider had answered.
    case abandoned

    init(_ cause: RefusalCause) {
        self =
            switch cause {
            case .providerAbsent: .unconnected
            case .providerClient: .client
            case .providerCode, .providerRequest: .token
            default: .unreachable
            }
    }
}
