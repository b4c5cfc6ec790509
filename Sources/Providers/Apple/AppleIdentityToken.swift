import AuthEngine
import Bytes
import Crypto
import Directory
import Domain

/// What Apple's `id_token` says of a person, once every check has passed (Apple, "Verifying a user").
struct AppleIdentityToken: Sendable {
    /// How long after a token came its key is published for certain.
    private static let publication = Duration.seconds(60)

    let identity: ProviderIdentity
    /// The client it was issued to.
    let audience: ClientID
    /// Whether it holds the hash of what came with it.
    let namesCompanion: Bool

    /// What a token must be.
    struct Expectation: Sendable {
        let issuer: String
        /// The clients that may be its audience: the team's own, never one that a request names.
        let audiences: Set<ClientID>
        /// What `nonce` must be one of; nil where none was sent.
        var nonces: [String]?
        /// Whether a token without a nonce is one of this sign-in all the same: its code proves that.
        var mayLackNonce = false
        /// What came with it, by the claim that holds its hash (OpenID Connect Core section 3.3.2.11).
        var companion: Companion?
    }

    /// A code or an access token that came with the token.
    enum Companion: Sendable {
        case code(String)
        case accessToken(String)
    }

    /// Takes a token apart, finds its key, and believes it.
    ///
    /// - Throws: `ProviderFailure` with the check that failed.
    init(
        _ text: String,
        keys: AppleKeys,
        expecting expectation: Expectation,
        at moment: Timestamp
    ) async throws(ProviderFailure) {
        let claims = AppleClaims(
            try await Self.verify(text, keys: keys, publishedBy: moment + Self.publication)
        )
        audience = try claims.audience(of: expectation)
        try claims.checkTimes(at: moment)
        try claims.checkNonce(of: expectation)
        namesCompanion = try claims.checkHash(of: expectation.companion)
        identity = try claims.identity()
    }

    /// The claims, once one of Apple's keys proves the signature.
    ///
    /// The algorithm is asked before the key: a header decides neither how nor with what kind of key it is verified.
    /// - Parameter moment: when Apple has published the key, if it is one (`AppleKeys.key`).
    static func verify(
        _ text: String,
        upTo maximumCount: Int = UnverifiedJWT.maximumCount,
        keys: AppleKeys,
        publishedBy moment: Timestamp
    ) async throws(ProviderFailure) -> Claims {
        let token: UnverifiedJWT
        do throws(JWTFailure) {
            token = try UnverifiedJWT(text, maximumCount: maximumCount)
        } catch {
            throw ProviderFailure(.providerToken, .anew, because: "the token cannot be read: \(error)")
        }
        guard token.header.algorithm == .rs256, let id = token.header.keyID else {
            throw ProviderFailure(
                .providerToken,
                .anew,
                because: "the token is not signed with RS256 by a named key"
            )
        }
        let key = try await keys.key(id, publishedBy: moment)
        guard let claims = try? token.verify(with: key) else {
            throw ProviderFailure(.providerToken, .anew, because: "the signature of the token is not valid")
        }
        return claims
    }
}
