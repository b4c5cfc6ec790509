public import Core
public import Crypto
public import OAuth

/// External provider at which users sign in.
///
/// An implementation knows the provider's protocol and verifies its answers; the engine processes the results.
public protocol IdentityProvider: UpstreamTokenService {
    /// Maximum time of all calls to the provider for one sign-in; each call times out earlier.
    var timeout: Duration { get }

    /// Keys of the provider's tokens, as last fetched: never waits, and fetches anew in the background.
    var publishedKeys: [JWK] { get }

    /// Waits a moment for the first fetch of the keys.
    func waitForFirstKeys() async

    /// URL at which a browser begins the request; nil if the request's group is not registered at the provider.
    func authorizationURL(of upstreamRequest: UpstreamRequest, in team: TeamSnapshot) -> String?

    /// Verifies a token that arrived through the browser, and returns the user it identifies.
    ///
    /// - Parameter moment: time of arrival, at which the token's times are checked.
    /// - Throws: `UpstreamFailure` for an invalid token: wrong issuer, wrong audience, forged, expired, or from another
    ///   upstream request.
    func identify(
        _ answer: UpstreamResponse, of upstreamRequest: UpstreamRequest, in team: TeamSnapshot, at moment: Timestamp
    ) async throws(UpstreamFailure) -> UpstreamIdentity

    /// Redeems the code of an answer, which works once.
    func redeem(_ code: String, of upstreamRequest: UpstreamRequest, in team: TeamSnapshot)
        async throws(UpstreamFailure) -> UpstreamRedemption
}
