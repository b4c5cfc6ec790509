public import Bytes
public import Domain
import Postgres

/// A P-256 key that signs client secrets for an App ID and its Service IDs, as far as Pippin keeps it.
public struct Key: Hashable, Sendable {
    /// Where the private half is.
    public enum PrivateHalf: Hashable, Sendable {
        /// Here, sealed, until its one download.
        case awaitingDownload
        /// With whoever downloaded it.
        case downloaded(Timestamp)
        /// Never was here, or went with the revocation.
        case elsewhere
    }

    public let id: KeyID
    public let name: String
    /// The primary App ID it is bound to.
    public let appID: ClientID
    /// SubjectPublicKeyInfo, as `P256PublicKey.pem` writes it.
    public let publicKeyPEM: String
    /// SHA-256 of the public key's DER in hexadecimal.
    public let fingerprint: String
    public let privateHalf: PrivateHalf
    public let createdAt: Timestamp
    /// When it last signed a client secret that was accepted, to the minute.
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
