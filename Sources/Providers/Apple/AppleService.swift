public import HTTPClient

/// Where Apple is spoken to, and what it signs as.
///
/// Issuer and addresses are pinned together: Apple's discovery document is watched, never followed. In June 2025 it named
/// another issuer for a day while the tokens kept theirs.
public struct AppleService: Sendable {
    /// `iss` of its tokens, `aud` of client secrets.
    public let issuer: String
    public let authorizationURL: String
    public let tokenURL: String
    public let revocationURL: String
    public let keysURL: String
    public let discoveryURL: String
    /// Which addresses its names may stand for.
    public let addresses: AddressPolicy
    public let patience: Patience

    /// How long an answer is waited for.
    public struct Patience: Sendable {
        /// Of the token and revocation endpoints: with the keys, less than one request has an answer of Apple's for
        /// itself.
        public var calls = Duration.seconds(8)
        public var keys = Duration.seconds(5)

        public init() {}
    }

    /// - Parameter base: scheme and host, and a path where it has one, without a slash at its end.
    public init(
        issuer: String,
        base: String,
        addresses: AddressPolicy,
        patience: Patience = Patience()
    ) {
        self.issuer = issuer
        authorizationURL = "\(base)/auth/authorize"
        tokenURL = "\(base)/auth/token"
        revocationURL = "\(base)/auth/revoke"
        keysURL = "\(base)/auth/keys"
        discoveryURL = "\(base)/.well-known/openid-configuration"
        self.addresses = addresses
        self.patience = patience
    }

    /// Apple itself.
    public static let apple = AppleService(
        issuer: "https://appleid.apple.com",
        base: "https://appleid.apple.com",
        addresses: .publicOnly
    )
}
