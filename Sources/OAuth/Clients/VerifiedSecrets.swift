import Core
import Crypto
import EventLoop
import Platform
import Postgres
import Registry
import Synchronization

/// Cache of one team's verified client secrets: a repeated secret costs a digest instead of a signature verification.
///
/// The cache belongs to a snapshot. Every change of the registry, such as the revocation of a key, replaces the
/// snapshot, and the new one begins with an empty cache.
final class VerifiedSecrets: Sendable {
    /// The properties of a verified secret that later requests still check.
    struct Secret {
        let client: ClientID
        let keyID: KeyID
        let expiresAt: NumericDate
        /// Whether its lifetime exceeds `ClientAuthentication.lasting`, so that its expiry may come unexpectedly.
        let isLasting: Bool
    }

    /// Most cached secrets; clients that sign a secret for every request gain nothing from a larger cache.
    static let capacity = 256

    private let secrets = Mutex<[[UInt8]: Secret]>([:])

    /// The unexpired, verified secret of that client, or nil.
    ///
    /// - Parameter digest: the SHA-256 of the secret, so that no secret is stored.
    func find(_ digest: [UInt8], of client: ClientID, at moment: Timestamp) -> Secret? {
        guard let secret = secrets.withLock({ $0[digest] }), secret.client == client,
            secret.expiresAt.seconds > moment.seconds
        else { return nil }
        return secret
    }

    /// Stores a secret that was just verified; a full cache is emptied first.
    func keep(_ secret: Secret, as digest: [UInt8]) {
        secrets.withLock { secrets in
            if secrets.count >= Self.capacity { secrets.removeAll(keepingCapacity: true) }
            secrets[digest] = secret
        }
    }

    /// Number of cached secrets.
    var count: Int { secrets.withLock { $0.count } }
}
