import Platform

/// Identity and refresh token that a provider returned for a code.
public struct UpstreamGrant: Sendable {
    public let identity: UpstreamIdentity
    public let token: Token?

    /// Refresh token: valid until the user or the app ends it, and to be revoked with the account.
    public struct Token: Sendable {
        let text: String
        /// The client at the provider that the code was issued to.
        let clientID: ClientID
    }
}

/// Result of redeeming a valid code.
public enum UpstreamRedemption: Sendable {
    case proved(UpstreamGrant)
    /// Nothing in the answer could be verified, and the code is spent; a token in it must still be revoked.
    case unproved(UpstreamGrant.Token?, UpstreamFailure)
}
