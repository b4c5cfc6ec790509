import Bytes
import Domain
import Synchronization

/// The client secrets of one team that were found good: the next request with one costs a digest, not a signature.
///
/// It belongs to a snapshot. Whatever changes the registry, such as the revocation of a key, puts another snapshot in
/// its place, and with it an empty table.
final class VerifiedSecrets: Sendable {
    /// What is still to be judged of a secret whose signature and claims were right once.
    struct Secret {
        let client: ClientID
        let keyID: KeyID
        let expiresAt: NumericDate
        /// Whether it was made to last, so that its end will come as a surprise.
        let isLasting: Bool
    }

    /// Clients that sign a secret for every request gain nothing from more.
    static let capacity = 256

    private let secrets = Mutex<[[UInt8]: Secret]>([:])

    /// What is known of a secret of that client, while the secret lasts.
    ///
    /// - Parameter digest: the SHA-256 of the secret, so that none is kept.
    func find(_ digest: [UInt8], of client: ClientID, at moment: Timestamp) -> Secret? {
        guard let secret = secrets.withLock({ $0[digest] }), secret.client == client,
            secret.expiresAt.seconds > moment.seconds
        else { return nil }
        return secret
    }

    /// Remembers a secret that was just verified; a full table is emptied first.
    func keep(_ secret: Secret, as digest: [UInt8]) {
        secrets.withLock { secrets in
            if secrets.count >= Self.capacity { secrets.removeAll(keepingCapacity: true) }
            secrets[digest] = secret
        }
    }

    /// How many are known.
    var count: Int { secrets.withLock { $0.count } }
}
