public import Core
import Crypto
public import Platform
public import Postgres

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

    /// All active keys of a team.
    public static func active(in team: TeamID) -> SQL {
        "SELECT \(KeyStore.columns) FROM \(KeyStore.tables) WHERE k.team_id = \(team) AND k.rank IS NOT NULL"
    }

    /// Reads `KeyStore.columns`.
    public init(_ row: inout Row) throws(PostgresFailure) {
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

extension Key {
    /// A key to be issued, whose key pair Pippin generates.
    public struct Issue: Hashable, Sendable {
        public let name: String
        public let appID: ClientID

        /// - Throws: `FieldErrors` with every error of the input.
        public init(name: String, appID: String) throws(FieldErrors) {
            var errors = FieldErrors()
            let parsedName = errors.check("name", try Key.name(parsing: name))
            let parsedAppID = errors.check("appID", try ClientID(parsing: appID))
            guard let parsedName, let parsedAppID else { throw errors }
            (self.name, self.appID) = (parsedName, parsedAppID)
        }
    }

    /// A key whose pair was generated elsewhere: its public key is registered under an id that the team chooses.
    public struct Registration: Hashable, Sendable {
        public let id: KeyID
        public let name: String
        public let appID: ClientID
        /// The public key, as written by `P256PublicKey.pem`.
        public let publicKeyPEM: String
        public let fingerprint: String

        /// - Throws: `FieldErrors` with every error of the input.
        public init(id: String, name: String, appID: String, publicKeyPEM: String) throws(FieldErrors) {
            var errors = FieldErrors()
            let parsedID = KeyID(rawValue: id.typedCode)
            if parsedID == nil { errors.add("id", .keyIDShape) }
            let parsedName = errors.check("name", try Key.name(parsing: name))
            let parsedAppID = errors.check("appID", try ClientID(parsing: appID))
            let key = errors.check("publicKeyPEM", try Key.publicKey(parsing: publicKeyPEM))
            guard let parsedID, let parsedName, let parsedAppID, let key else { throw errors }
            self.id = parsedID
            self.name = parsedName
            self.appID = parsedAppID
            self.publicKeyPEM = key.pem
            fingerprint = Key.fingerprint(of: key)
        }

        /// The public key of a pair that Pippin generated for `issue`.
        init(_ issue: Issue, id: KeyID, publicKey: P256PublicKey) {
            (self.id, name, appID) = (id, issue.name, issue.appID)
            publicKeyPEM = publicKey.pem
            fingerprint = Key.fingerprint(of: publicKey)
        }

        var auditedMembers: AuditedMembers {
            ["name": .string(name), "appID": .string(appID.rawValue), "fingerprint": .string(fingerprint)]
        }
    }

    /// Parses the name that the team gives to a key.
    public static func name(parsing text: String) throws(ValidationError) -> String {
        try DisplayText.parse(text, limit: DisplayText.nameLimit)
    }

    static func publicKey(parsing pem: String) throws(ValidationError) -> P256PublicKey {
        guard !pem.isEmpty else { throw .missing }
        do { return try P256PublicKey(pem: pem) } catch .privateKey, .encrypted { throw .privateKeyGiven } catch {
            throw .notPublicKey
        }
    }

    static func fingerprint(of key: P256PublicKey) -> String { Hex.encode(SHA256.hash(key.der)) }
}

/// Result of the only download of an issued key's private key.
public enum KeyDownload: Sendable {
    /// The file's name and content, returned only once.
    case file(name: String, pem: String)
    /// The private key was downloaded before, belongs to a revoked key, or was never stored.
    case gone
    /// The master key that encrypted the private key is missing; the download remains possible.
    case unreadable
    /// The team has no such key.
    case notFound
}
