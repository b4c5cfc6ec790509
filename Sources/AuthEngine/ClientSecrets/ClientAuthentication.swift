import Bytes
import Crypto
import Domain

/// A client that has proved who it is.
struct AuthenticatedClient: Sendable {
    let client: Client
    let keyID: KeyID
    /// Set when the secret was signed with the key of a trial.
    let trial: TrialID?
    /// When the secret ends, where it was made to last.
    var secretEndsAt: Timestamp?
}

extension AuthenticatedClient {
    fileprivate init(_ client: Client, by secret: VerifiedSecrets.Secret) {
        self.client = client
        keyID = secret.keyID
        trial = nil
        secretEndsAt = secret.isLasting ? secret.expiresAt.timestamp : nil
    }
}

/// Checks client secrets: ES256 JWTs that the app signs with a key of its team (Apple, "Creating a client secret").
struct ClientAuthentication: Sendable {
    /// Apple: a secret lasts at most this many seconds from now.
    static let longestLife = 15_777_000
    /// How far two clocks may differ, in seconds.
    static let skew = 300
    /// A secret that lives longer is kept somewhere, and will be forgotten there.
    static let lasting = 2 * 86_400

    let team: TeamSnapshot
    let base: String
    let trials: TrialStore

    /// Authenticates the client a request names.
    ///
    /// - Throws: `OAuthError` with `invalid_client` and the true reason, or `PostgresFailure`.
    func authenticate(_ parameters: ProtocolParameters, at moment: Timestamp) async throws
        -> AuthenticatedClient
    {
        guard let text = parameters["client_id"] else {
            throw refusal(.clientMissing, "client_id is missing")
        }
        guard let id = ClientID(rawValue: text), let client = team.client(id) else {
            throw refusal(.client(text), ClientID.refusal(text))
        }
        guard client.isEnabled else { throw refusal(.clientDisabled, "sign-in is switched off for \(id)") }
        guard let secret = parameters["client_secret"] else {
            throw refusal(.secretMissing, "client_secret is missing")
        }
        let digest = SHA256.hash(secret)
        if let known = team.verifiedSecrets.find(digest, of: id, at: moment) {
            return AuthenticatedClient(client, by: known)
        }
        let token = try parse(secret)
        let keyID = try keyID(of: token)
        let (key, trial) = try await key(keyID, for: client, at: moment)
        let times = try check(try claims(of: token, signedBy: key, keyID), for: client, at: moment)
        // A trial ends by its own clock, which no snapshot knows.
        if let trial { return AuthenticatedClient(client: client, keyID: keyID, trial: trial) }
        let verified = VerifiedSecrets.Secret(
            client: id,
            keyID: keyID,
            expiresAt: times.expires,
            isLasting: times.expires.seconds - times.issued.seconds > Self.lasting
        )
        team.verifiedSecrets.keep(verified, as: digest)
        return AuthenticatedClient(client, by: verified)
    }

    private func parse(_ secret: String) throws(OAuthError) -> UnverifiedJWT {
        do throws(JWTFailure) {
            return try UnverifiedJWT(secret)
        } catch {
            throw refusal(error.cause, "client_secret is not a JWT we take: \(error)")
        }
    }

    private func claims(
        of token: UnverifiedJWT,
        signedBy key: P256PublicKey,
        _ keyID: KeyID
    ) throws(OAuthError) -> Claims {
        do throws(JWTFailure) {
            return try token.verify(with: key)
        } catch {
            throw refusal(
                token.hasDERSignature ? .signatureIsDER : .signatureInvalid,
                "the signature does not verify with key \(keyID); it must be the raw r||s, 64 octets"
            )
        }
    }

    /// Strict as Apple is: members other than `alg`, `kid` and `typ: JWT` make the secret void.
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

    private func key(
        _ id: KeyID,
        for client: Client,
        at moment: Timestamp
    ) async throws -> (P256PublicKey, TrialID?) {
        if let key = team.keys[id] {
            guard key.group == client.group else {
                throw refusal(.keyOfOtherApp, "key \(id) belongs to another App ID than \(client.id)")
            }
            guard let publicKey = key.publicKey else {
                throw refusal(.keyUnknown, "key \(id) cannot be read")
            }
            return (publicKey, nil)
        }
        if let trial = try await trials.find(key: id, in: team.id, at: moment), trial.serviceID == client.id {
            return (try P256PublicKey(pem: trial.publicKeyPEM), trial.id)
        }
        throw refusal(.keyUnknown, "key \(id) is unknown or revoked")
    }

    /// Judges every claim, and tells from when until when the secret is good.
    private func check(
        _ claims: Claims,
        for client: Client,
        at moment: Timestamp
    ) throws(OAuthError) -> (issued: NumericDate, expires: NumericDate) {
        guard let issuer = try? claims.string("iss"), issuer.isExactly(team.id.rawValue) else {
            throw refusal(.issuerWrong, "iss is not the Team ID \(team.id)")
        }
        guard let subject = try? claims.string("sub"), subject.isExactly(client.id.rawValue) else {
            throw refusal(.subjectWrong, "sub is not the client_id")
        }
        guard let audience = try? claims.audience(),
            audience.contains(where: { $0.isExactly(base) || $0.isExactly(appleIssuer) })
        else {
            throw refusal(.audienceWrong, "aud is neither \(base) nor \(appleIssuer)")
        }
        let now = moment.seconds
        guard let issued = try? claims.date("iat"), issued.seconds <= now + Self.skew else {
            throw refusal(.issuedInFuture, "iat is missing, no time, or in the future")
        }
        guard let expires = try? claims.date("exp"), expires.seconds > now else {
            throw refusal(.secretExpired, "exp is missing, no time, or past")
        }
        guard expires.seconds <= now + Self.longestLife + Self.skew else {
            throw refusal(.secretTooLong, "exp is more than \(Self.longestLife) seconds ahead")
        }
        guard let start = try? claims.optionalDate("nbf")?.seconds ?? 0, start <= now + Self.skew else {
            throw refusal(.secretNotYetValid, "nbf is no time or in the future")
        }
        return (issued, expires)
    }

    private func refusal(_ cause: RefusalCause, _ reason: String) -> OAuthError {
        OAuthError(.invalidClient, cause: cause, because: reason)
    }
}

extension ClientAuthentication {
    /// For whoever asks at that team.
    init(at team: TeamSnapshot, _ context: EngineContext, _ trials: TrialStore) {
        self.init(team: team, base: context.base(of: team.id), trials: trials)
    }
}

extension JWTFailure {
    /// What the inspector calls it, where the token was a client secret.
    fileprivate var cause: RefusalCause {
        switch self {
        case .unsupportedAlgorithm, .wrongAlgorithm: .secretAlgorithm
        case .malformedHeader, .unsupportedExtension: .secretHeader
        case .invalidSignature: .signatureInvalid
        case .tooLarge, .malformed, .malformedClaims: .secretMalformed
        }
    }
}
