import Core
import Crypto
import Directory
import OAuth
import Platform

/// Content of Apple's `id_token`, once every check has passed (Apple, "Verifying a user").
struct AppleIdentityToken: Sendable {
    /// Time after a token's arrival by which its key is certainly published.
    private static let publication = Duration.seconds(60)

    let identity: UpstreamIdentity
    /// The client that the token was issued to.
    let audience: ClientID
    /// Whether the token contains the hash of the value it is bound to.
    let namesCompanion: Bool

    /// Expected properties of a token.
    struct Expectation: Sendable {
        let issuer: String
        /// Clients that may be the audience: the team's own, never one that a request names.
        let audiences: Set<ClientID>
        /// Nil if none was sent.
        var nonce: ExpectedNonce?
        /// Whether a token without a nonce is accepted, because its code proves that it belongs to this sign-in.
        var mayLackNonce = false
        /// Value whose hash the token may contain (OpenID Connect Core section 3.3.2.11).
        var boundTo: BoundValue?
    }

    /// Code or access token that came with the token.
    enum BoundValue: Sendable {
        case code(String)
        case accessToken(String)
    }

    /// Parses and verifies a token.
    ///
    /// - Throws: `UpstreamFailure` with the check that failed.
    init(_ text: String, keys: AppleKeySet, expecting expectation: Expectation, at moment: Timestamp)
        async throws(UpstreamFailure)
    {
        let claims = AppleClaims(try await Self.verify(text, keys: keys, publishedBy: moment + Self.publication))
        audience = try claims.audience(of: expectation)
        try claims.checkTimes(at: moment)
        try claims.checkNonce(of: expectation)
        namesCompanion = try claims.checkHash(of: expectation.boundTo)
        identity = try claims.identity()
    }

    /// Verifies a token's signature with one of Apple's keys, and returns its claims.
    ///
    /// The algorithm is checked before the key is looked up, so that the header decides neither how nor with what type
    /// of key the token is verified.
    /// - Parameter moment: time by which Apple has published the key, if it is one of Apple's (`AppleKeySet.key`).
    static func verify(
        _ text: String, upTo maximumCount: Int = UnverifiedJWT.maximumCount, keys: AppleKeySet,
        publishedBy moment: Timestamp
    ) async throws(UpstreamFailure) -> Claims {
        let token: UnverifiedJWT
        do throws(JWTFailure) { token = try UnverifiedJWT(text, maximumCount: maximumCount) } catch {
            throw UpstreamFailure(.upstreamToken, .anew, because: "the token cannot be read: \(describing: error)")
        }
        guard token.header.algorithm == .rs256, let id = token.header.keyID else {
            throw UpstreamFailure(.upstreamToken, .anew, because: "the token is not signed with RS256 by a named key")
        }
        let key = try await keys.key(id, publishedBy: moment)
        guard let claims = try? token.verify(with: key) else {
            throw UpstreamFailure(.upstreamToken, .anew, because: "the signature of the token is not valid")
        }
        return claims
    }
}
