public import Bytes
import Crypto

/// An RSA key a team signs its tokens with.
public final class TeamSigningKey: Sendable {
    public let kid: String
    let signer: JWTSigner
    let publicKey: RSAPublicKey
    public let activeFrom: Timestamp
    /// When nothing is signed with it any more; its public half stays published until the last token has expired.
    public let retiresAt: Timestamp?

    init(kid: String, privateKey: RSASigningKey, activeFrom: Timestamp, retiresAt: Timestamp?) {
        self.kid = kid
        publicKey = privateKey.publicKey
        signer = JWTSigner(key: privateKey, keyID: kid)
        self.activeFrom = activeFrom
        self.retiresAt = retiresAt
    }

    /// How it stands at a moment.
    public enum State: Sendable {
        /// Published, so that clients know it when it begins to sign.
        case next
        case signing
        /// Published until the last token it signed has expired.
        case published
        /// Needed by nobody any more.
        case over
    }

    /// How it stands at `moment` in its team.
    public func state(at moment: Timestamp, in team: TeamSnapshot) -> State {
        if moment < activeFrom { return .next }
        if team.signingKey(at: moment) === self { return .signing }
        return isPublished(at: moment) ? .published : .over
    }

    /// Of its modulus, in bits.
    public var size: Int { publicKey.modulus.count * 8 }

    /// When it leaves the set, or nil while nothing is to take its place.
    public var leavesAt: Timestamp? { retiresAt.map { $0 + TokenLifetime.longestSigned } }

    func isPublished(at moment: Timestamp) -> Bool {
        leavesAt.map { moment < $0 } ?? true
    }

    func isActive(at moment: Timestamp) -> Bool {
        activeFrom <= moment && retiresAt.map { moment < $0 } ?? true
    }
}

extension TeamSnapshot {
    /// A JWT of these claims under the key that signs at `moment`.
    ///
    /// - Throws: `NoSigningKey` when the team has none, `SigningFailure` when OpenSSL refuses.
    public func sign(_ claims: [UInt8], at moment: Timestamp) throws -> String {
        guard let key = signingKey(at: moment) else { throw NoSigningKey(team: id) }
        return try key.signer.sign(claims)
    }

    /// The key that signs at `moment`: the newest active one.
    func signingKey(at moment: Timestamp) -> TeamSigningKey? {
        signingKeys.last { $0.isActive(at: moment) }
    }

    /// The published keys in RFC 7517's form, RSA keys only: some clients try every key of the set.
    public func keySet(at moment: Timestamp) -> [UInt8] {
        let published = signingKeys.filter { $0.isPublished(at: moment) }
        return JWKSet(published.map { JWK(.rsa($0.publicKey), keyID: $0.kid) }).json
    }
}
