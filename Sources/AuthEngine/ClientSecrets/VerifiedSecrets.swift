import Bytes
import Domain
import Synchronization

/// The client secrets of one team that were found good: the next request with one costs a digest, not a signature.
///
/// It belongs to a snapshot. Whatever changes the registry, such as the revocation of a key, puts another snapshot in
/// its place, and with it an empty table.
final class VerifiedSecrets: Sendable {
    /// What is still to be judged of a secret whose signature and claims were right once.
    private struct Secret {
        let client: ClientID
        let keyID: KeyID
        let expiresAt: Int64
    }

    /// Clients that sign a secret for every request gain nothing from more.
    static let capacity = 256

    private let secrets = Mutex<[[UInt8]: Secret]>([:])

    /// The key behind a known secret of that client, while the secret lasts.
    ///
    /// - Parameter digest: the SHA-256 of the secret, so that none is kept.
    func keyID(of digest: [UInt8], for client: ClientID, at moment: Timestamp) -> KeyID? {
        guard let secret = secrets.withLock({ $0[digest] }), secret.client == client,
            secret.expiresAt > Int64(moment.seconds)
        else { return nil }
        return secret.keyID
    }

    /// Remembers a secret that was just verified; a full table is emptied first.
    func keep(_ digest: [UInt8], of client: ClientID, keyID: KeyID, expiresAt: Int64) {
        secrets.withLock { secrets in
            if secrets.count >= Self.capacity { secrets.removeAll(keepingCapacity: true) }
            secrets[digest] = Secret(client: client, keyID: keyID, expiresAt: expiresAt)
        }
    }

    /// How many are known.
    var count: Int { secrets.withLock { $0.count } }
}
