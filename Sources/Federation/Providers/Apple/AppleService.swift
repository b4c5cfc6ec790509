public import Core
public import HTTP

/// Issuer and URLs of Apple's service.
///
/// They are pinned together: Apple's discovery document is monitored, never followed. In June 2025 it named another
/// issuer for a day while the tokens kept theirs.
public struct AppleService: Sendable {
    /// `iss` of Apple's tokens, `aud` of client secrets.
    public let issuer: String
    public let authorizationURL: String
    public let tokenURL: String
    public let revocationURL: String
    public let keysURL: String
    public let discoveryURL: String
    /// Network addresses that the service's host names may resolve to.
    public let addresses: AddressPolicy
    public let timeouts: Timeouts

    /// Maximum times to wait for an answer.
    public struct Timeouts: Sendable {
        /// For the token and revocation endpoints: together with the keys, less than the time for which one request
        /// claims an answer of Apple.
        public var calls = Duration.seconds(8)
        public var keys = Duration.seconds(5)

        public init() {}
    }

    /// - Parameter base: scheme, host and optional path, without a trailing slash.
    public init(issuer: String, base: String, addresses: AddressPolicy, timeouts: Timeouts = Timeouts()) {
        self.issuer = issuer
        authorizationURL = "\(base)/auth/authorize"
        tokenURL = "\(base)/auth/token"
        revocationURL = "\(base)/auth/revoke"
        keysURL = "\(base)/auth/keys"
        discoveryURL = "\(base)/.well-known/openid-configuration"
        self.addresses = addresses
        self.timeouts = timeouts
    }

    /// Apple's own service.
    public static let apple = AppleService(
        issuer: "https://appleid.apple.com", base: "https://appleid.apple.com", addresses: .publicOnly)
}

/// Snapshot of what Apple publishes: the members of its discovery document that are pinned here, and its keys.
public struct ApplePublication: Hashable, Sendable {
    /// Issuer, endpoints and algorithms, by their names in the document; a list is joined by spaces.
    public let discovery: [String: String]
    /// Type, algorithm and fingerprint of each key, by its `kid`.
    public let keys: [String: String]
    /// Apple's clock, to the second; nil if the answer has no date.
    public let clock: Timestamp?

    public init(discovery: [String: String], keys: [String: String], clock: Timestamp? = nil) {
        self.discovery = discovery
        self.keys = keys
        self.clock = clock
    }
}
