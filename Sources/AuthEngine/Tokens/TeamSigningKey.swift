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

    func isActive(at moment: Timestamp) -> Bool {
        activeFrom <= moment && retiresAt.map { moment < $0 } ?? true
    }
}

extension TeamSnapshot {
    /// The key that signs at `moment`: the newest active one.
    func signingKey(at moment: Timestamp) -> TeamSigningKey? {
        signingKeys.last { $0.isActive(at: moment) }
    }

    /// The published keys in RFC 7517's form, RSA keys only: some clients try every key of the set.
    public func keySet(at moment: Timestamp) -> [UInt8] {
        let published = signingKeys.filter { key in
            key.retiresAt.map { moment < $0 + TokenLifetime.longestSigned } ?? true
        }
        return JWKSet(published.map { JWK(.rsa($0.publicKey), keyID: $0.kid) }).json
    }
}
