public import Core
import Crypto
import Directory
public import Platform
import Registry

/// Verifies client secrets: ES256 JWTs signed by the app with a key of its team (Apple, "Creating a client secret").
struct ClientAuthentication: Sendable {
    /// Longest time until a secret's expiry, in seconds (Apple).
    static let longestLife = 15_777_000
    /// Tolerated clock difference, in seconds.
    static let skew = 300
    /// Lifetime in seconds above which the app is assumed to store the secret, so that its expiry is recorded.
    static let lasting = 2 * 86_400

    let team: TeamSnapshot
    let base: String
    let testSignIns: TestSignInStore

    /// Authenticates the client that the request names.
    ///
    /// - Throws: `OAuthError` with `invalid_client` and the precise reason, or `PostgresFailure`.
    func authenticate(_ parameters: ProtocolParameters, by proof: ClientProof = .secret, at moment: Timestamp)
        async throws -> AuthenticatedClient
    {
        guard let secret = parameters["client_secret"] else { return try publicClient(parameters, by: proof) }
        let client = try client(parameters["client_id"])
        let digest = SHA256.hash(secret)
        if let known = team.verifiedSecrets.find(digest, of: client.id, at: moment) {
            return AuthenticatedClient(client, by: known.proof)
        }
        let token = try parse(secret)
        let keyID = try keyID(of: token)
        let (key, testSignIn) = try await key(keyID, for: client, at: moment)
        let times = try check(try claims(of: token, signedBy: key, keyID), for: client, at: moment)
        // Not cached, because a test sign-in expires by its own time, which no snapshot contains.
        if let testSignIn { return AuthenticatedClient(client, by: .testSecret(keyID, testSignIn)) }
        let verified = VerifiedSecrets.Secret(
            client: client.id, keyID: keyID, expiresAt: times.expires,
            isLasting: times.expires.seconds - times.issued.seconds > Self.lasting)
        team.verifiedSecrets.keep(verified, as: digest)
        return AuthenticatedClient(client, by: verified.proof)
    }

    /// The client of a request without a secret, which the endpoint has to allow.
    private func publicClient(_ parameters: ProtocolParameters, by proof: ClientProof) throws(OAuthError)
        -> AuthenticatedClient
    {
        if case .secretOrUpstreamCode = proof {
            return AuthenticatedClient(try client(try parameters.required("client_id")), by: .upstreamCode)
        }
        let client = try client(parameters["client_id"])
        guard case .secretOrRotatingToken(let parameter) = proof,
            let token = parameters[parameter].flatMap(RefreshToken.init), token.secretHash != nil
        else { throw refusal(.secretMissing, "client_secret is missing") }
        return AuthenticatedClient(client, by: .rotatingToken(token))
    }

    private func client(_ text: String?) throws(OAuthError) -> Client {
        guard let text else { throw refusal(.clientMissing, "client_id is missing") }
        guard let id = ClientID(rawValue: text), let client = team.client(id) else {
            throw OAuthError(
                .invalidClient, WrapperApp.advice(on: text), cause: .client(text), because: ClientID.refusal(text))
        }
        guard client.isEnabled else { throw refusal(.clientDisabled, "sign-in is switched off for \(id)") }
        return client
    }

    private func parse(_ secret: String) throws(OAuthError) -> UnverifiedJWT {
        do throws(JWTFailure) { return try UnverifiedJWT(secret) } catch {
            throw refusal(error.cause, "client_secret is not a JWT we take: \(describing: error)")
        }
    }

    private func claims(of token: UnverifiedJWT, signedBy key: P256PublicKey, _ keyID: KeyID) throws(OAuthError)
        -> Claims
    {
        do throws(JWTFailure) { return try token.verify(with: key) } catch {
            throw refusal(
                token.hasDERSignature ? .signatureIsDER : .signatureInvalid,
                "the signature does not verify with key \(keyID); it must be the raw r||s, 64 octets")
        }
    }

    /// Reads the Key ID; as at Apple, header members other than `alg`, `kid` and `typ: JWT` make the secret invalid.
    private func keyID(of token: UnverifiedJWT) throws(OAuthError) -> KeyID {
        guard token.header.algorithm == .es256 else { throw refusal(.secretAlgorithm, "alg is not ES256") }
        if token.header.members.keys.contains(where: { !["alg", "kid", "typ"].contains($0) }) {
            throw refusal(.secretHeader, "a header member other than alg, kid and typ is not allowed")
        }
        if let type = token.header.type, type != "JWT" { throw refusal(.secretHeader, "typ is not JWT") }
        guard let kid = token.header.keyID.flatMap(KeyID.init(rawValue:)) else {
            throw refusal(.keyIDMissing, "kid is missing or not a Key ID")
        }
        return kid
    }

    private func key(_ id: KeyID, for client: Client, at moment: Timestamp) async throws -> (
        P256PublicKey, TestSignInID?
    ) {
        if let key = team.keys[id] {
            guard key.primaryAppID == client.primaryAppID else {
                throw refusal(.keyOfOtherApp, "key \(id) belongs to another App ID than \(client.id)")
            }
            guard let publicKey = key.publicKey else { throw refusal(.keyUnknown, "key \(id) cannot be read") }
            return (publicKey, nil)
        }
        if let testSignIn = try await testSignIns.find(key: id, in: team.id, at: moment),
            testSignIn.serviceID == client.id
        {
            return (try P256PublicKey(pem: testSignIn.publicKeyPEM), testSignIn.id)
        }
        throw refusal(.keyUnknown, "key \(id) is unknown or revoked")
    }

    /// Verifies every claim and returns the issue and expiry times.
    private func check(_ claims: Claims, for client: Client, at moment: Timestamp) throws(OAuthError) -> (
        issued: NumericDate, expires: NumericDate
    ) {
        guard let issuer = try? claims.string("iss"), issuer.isExactly(team.id.rawValue) else {
            throw refusal(.issuerWrong, "iss is not the Team ID \(team.id)")
        }
        guard let subject = try? claims.string("sub"), subject.isExactly(client.id.rawValue) else {
            throw refusal(.subjectWrong, "sub is not the client_id")
        }
        guard let audience = try? claims.audience(),
            audience.contains(where: { $0.isExactly(base) || $0.isExactly(appleIssuer) })
        else { throw refusal(.audienceWrong, "aud is neither \(base) nor \(appleIssuer)") }
        let now = moment.seconds
        let (issued, expires) = (try date("iat", in: claims), try date("exp", in: claims))
        guard issued.seconds <= now + Self.skew else { throw refusal(.issuedInFuture, "iat is in the future") }
        guard expires.seconds > now else { throw refusal(.secretExpired, "exp is past") }
        guard expires.seconds <= now + Self.longestLife + Self.skew else {
            throw refusal(.secretTooLong, "exp is more than \(Self.longestLife) seconds ahead")
        }
        if claims.members["nbf"] != nil, try date("nbf", in: claims).seconds > now + Self.skew {
            throw refusal(.secretNotYetValid, "nbf is in the future")
        }
        return (issued, expires)
    }

    /// Reads a time; a missing one and one that is no number are not taken for the fault of a clock.
    private func date(_ name: String, in claims: Claims) throws(OAuthError) -> NumericDate {
        do throws(Claims.Failure) { return try claims.date(name) } catch {
            switch error {
            case .missing: throw refusal(.secretTime, "\(name) is missing")
            case .wrongType: throw refusal(.secretTime, "\(name) is not a number")
            case .outOfRange: throw refusal(.secretTime, "\(name) is not a date of the years 1970 to 9999, in seconds")
            }
        }
    }

    private func refusal(_ cause: RefusalCause, _ reason: String) -> OAuthError {
        OAuthError(.invalidClient, cause: cause, because: reason)
    }
}

extension VerifiedSecrets.Secret {
    fileprivate var proof: AuthenticatedClient.Proof { .secret(keyID, endsAt: isLasting ? expiresAt.timestamp : nil) }
}

extension JWTFailure {
    /// The cause shown in the inspector when the token is a client secret.
    fileprivate var cause: RefusalCause {
        switch self {
        case .unsupportedAlgorithm, .wrongAlgorithm: .secretAlgorithm
        case .malformedHeader, .unsupportedExtension: .secretHeader
        case .invalidSignature: .signatureInvalid
        case .tooLarge, .malformed, .malformedClaims: .secretMalformed
        }
    }
}

/// The only way to an endpoint for apps: authenticates the client of a request, then has the endpoint respond.
public struct ClientAuthenticator: Sendable {
    private let server: ServerContext
    private let testSignIns: TestSignInStore

    public init(server: ServerContext, database: TeamDatabase) {
        self.server = server
        testSignIns = TestSignInStore(database: database, keyRing: server.keyRing)
    }

    /// The endpoint's response to the authenticated client of a request.
    ///
    /// - Parameter accessToken: the token of the `Authorization` field, which an endpoint may want as well.
    /// - Throws: `OAuthError` when the client is not authenticated or the endpoint refuses; `PostgresFailure`.
    public func respond(
        at endpoint: some ClientEndpoint, to parameters: ProtocolParameters, accessToken: String? = nil,
        of team: TeamSnapshot, from origin: Origin
    ) async throws -> [UInt8] {
        let moment = server.clock()
        let authentication = ClientAuthentication(team: team, base: server.base(of: team.id), testSignIns: testSignIns)
        let client = try await authentication.authenticate(parameters, by: endpoint.proof(for: parameters), at: moment)
        return try await endpoint.respond(
            to: AuthenticatedRequest(parameters, accessToken, by: client, of: team, from: origin, at: moment))
    }
}

/// A request of a client that has proved itself, which only `ClientAuthenticator` makes.
public struct AuthenticatedRequest: Sendable {
    /// The parameters of the request.
    public let parameters: ProtocolParameters
    /// The token of the `Authorization` field, not verified yet.
    let accessToken: String?
    /// The client that sent it.
    public let client: AuthenticatedClient
    /// The team of the client.
    public let team: TeamSnapshot
    /// The origin of the request, for the audit log.
    public let origin: Origin
    /// The time of the request.
    public let moment: Timestamp

    fileprivate init(
        _ parameters: ProtocolParameters, _ accessToken: String?, by client: AuthenticatedClient, of team: TeamSnapshot,
        from origin: Origin, at moment: Timestamp
    ) {
        self.parameters = parameters
        self.accessToken = accessToken
        self.client = client
        self.team = team
        self.origin = origin
        self.moment = moment
    }
}
