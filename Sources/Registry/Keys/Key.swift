public import Core
public import Platform
import Postgres

/// A P-256 key that signs client secrets for an App ID and its Service IDs, without its private key.
public struct Key: Hashable, Sendable {
    /// State of the private key.
    public enum PrivateHalf: Hashable, Sendable {
        /// Stored encrypted, until its only download.
        case awaitingDownload
        /// Downloaded and no longer stored.
        case downloaded(Timestamp)
        /// Never stored, or deleted when the key was revoked.
        case elsewhere
    }

    public let id: KeyID
    public let name: String
    /// The primary App ID that it belongs to.
    public let appID: ClientID
    /// SubjectPublicKeyInfo, as written by `P256PublicKey.pem`.
    public let publicKeyPEM: String
    /// SHA-256 of the public key's DER in hexadecimal.
    public let fingerprint: String
    public let privateHalf: PrivateHalf
    public let createdAt: Timestamp
    /// Time when a client secret signed by it was last accepted, to the minute.
    public let lastUsedAt: Timestamp?
    public let revokedAt: Timestamp?

    /// Whether client secrets signed by it are accepted.
    public var isActive: Bool { revokedAt == nil }

    /// Reads `KeyStore.columns`.
    init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        name = try row.next()
        appID = try row.next()
        publicKeyPEM = try row.next()
        fingerprint = try row.next()
        let isSealedHere: Bool = try row.next()
        let downloadedAt: Timestamp? = try row.next()
        privateHalf = isSealedHere ? .awaitingDownload : downloadedAt.map { .downloaded($0) } ?? .elsewhere
        createdAt = try row.next()
        revokedAt = try row.next()
        lastUsedAt = try row.next()
    }
}
