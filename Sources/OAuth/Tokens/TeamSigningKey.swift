public import Core
import Crypto

/// An RSA key with which a team signs its tokens.
public final class TeamSigningKey: Sendable {
    public let kid: String
    let signer: JWTSigner
    let publicKey: RSAPublicKey
    public let activeFrom: Timestamp
    /// Time from which the key no longer signs; its public key stays published until the last token has expired.
    public let retiresAt: Timestamp?

    init(kid: String, privateKey: RSASigningKey, activeFrom: Timestamp, retiresAt: Timestamp?) {
        self.kid = kid
        publicKey = privateKey.publicKey
        signer = JWTSigner(key: privateKey, keyID: kid)
        self.activeFrom = activeFrom
        self.retiresAt = retiresAt
    }

    /// State of a signing key: next, signing, published, expired.
    public enum State: String, CaseIterable, Sendable {
        /// Published in advance, so that clients have it when it begins to sign.
        case next
        case signing
        /// Published until the last token it signed has expired.
        case published
        /// No longer needed.
        case expired
    }

    /// The key's state at `moment` in its team.
    public func state(at moment: Timestamp, in team: TeamSnapshot) -> State {
        if team.signingKey(at: moment) === self { return .signing }
        if moment < activeFrom { return .next }
        return isPublished(at: moment) ? .published : .expired
    }

    /// Size of the modulus, in bits.
    public var size: Int { publicKey.modulus.count * 8 }

    /// Time at which the key is removed from the key set; nil while no successor is scheduled.
    public var leavesAt: Timestamp? { retiresAt.map { $0 + TokenLifetime.longestSigned } }

    func isPublished(at moment: Timestamp) -> Bool { leavesAt.map { moment < $0 } ?? true }

    func isActive(at moment: Timestamp) -> Bool { activeFrom <= moment && retiresAt.map { moment < $0 } ?? true }
}
