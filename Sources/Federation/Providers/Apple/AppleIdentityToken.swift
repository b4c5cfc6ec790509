public import Core
import Crypto
import Directory
public import HTTP
import OAuth
import Platform

/// Content of Apple's `id_token`, once every check has passed (Apple, "Verifying a user").
struct AppleIdentityToken: Sendable {
    /// Time after a token's arrival by which its key is certainly published.
    private static let publication = Duration.seconds(60)

    let identity: ProviderIdentity
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
            throw UpstreamFailure(.providerToken, .anew, because: "the token cannot be read: \(error)")
        }
        guard token.header.algorithm == .rs256, let id = token.header.keyID else {
            throw UpstreamFailure(.providerToken, .anew, because: "the token is not signed with RS256 by a named key")
        }
        let key = try await keys.key(id, publishedBy: moment)
        guard let claims = try? token.verify(with: key) else {
            throw UpstreamFailure(.providerToken, .anew, because: "the signature of the token is not valid")
        }
        return claims
    }
}

/// Client secret: a JWT signed anew for each call with the team's imported key (Apple, "Creating a client secret").
enum AppleClientSecret {
    /// Lifetime, enough for one call; Apple accepts half a year.
    private static let life = Duration.seconds(300)

    /// Creates a client secret whose header is `kid` and `alg` alone, because Apple rejects other members.
    ///
    /// - Throws: `SigningFailure` if OpenSSL fails.
    static func make(
        for client: ClientID, of registration: AppleRegistration, to service: AppleService, at moment: Timestamp
    ) throws(SigningFailure) -> String {
        var claims = JSONWriter(capacity: 256)
        claims.member("iss", registration.teamID.rawValue)
        claims.member("iat", moment.seconds)
        claims.member("exp", (moment + life).seconds)
        claims.member("aud", service.issuer)
        claims.member("sub", client.rawValue)
        return try JWTSigner(key: registration.key, keyID: registration.keyID.rawValue).sign(claims.finish())
    }
}

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

/// The time of an HTTP field in its usual form, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
struct HTTPDate: Sendable {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    let moment: Timestamp

    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 6, let month = Self.months.firstIndex(of: String(parts[2])) else { return nil }
        let day = "\(parts[3])-\(CivilTime.padded(month + 1))-\(parts[1])"
        let clock = parts[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), (0...60).contains(clock[2]),
            let midnight = Timestamp(day: day)
        else { return nil }
        moment = midnight + .seconds(clock[0] * 3600 + clock[1] * 60 + clock[2])
    }
}
