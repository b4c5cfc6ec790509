public import Core
import Crypto
import Postgres

/// Passkey as displayed to its user.
public struct Passkey: Hashable, Sendable {
    public let id: PasskeyID
    /// Credential ID, by which the browser identifies it.
    public let credentialID: [UInt8]
    public let name: String
    /// Whether it is on the user's other devices too.
    public let isBackedUp: Bool
    public let createdAt: Timestamp
    public let lastUsedAt: Timestamp?

    static let columns: SQL = "credential_id, name, is_backed_up, created_at, last_used_at"

    init(_ row: inout Row) throws(PostgresFailure) {
        credentialID = try row.next()
        id = PasskeyID(credential: credentialID)
        name = try row.next()
        isBackedUp = try row.next()
        createdAt = try row.next()
        lastUsedAt = try row.next()
    }
}

/// Public ID of a passkey, which pages may show and forms send back.
public struct PasskeyID: Hashable, Sendable {
    let hash: [UInt8]

    init(credential: [UInt8]) { hash = SHA256.hash(credential) }

    /// Parses an ID; nil if `text` cannot be one.
    public init?(text: String) {
        guard text.utf8.count <= 64, let hash = Base64URL.decode(text), hash.count == SHA256.byteCount else {
            return nil
        }
        self.hash = hash
    }

    public var text: String { Base64URL.encode(hash) }
}

/// Name that a user gives a passkey: one line.
public struct PasskeyName: Hashable, Sendable {
    /// Most Unicode scalars.
    public static let maximumLength = 60

    public let text: String

    /// Creates a name without surrounding white space; nil if it is empty, too long, or not a line of text.
    public init?(_ text: String) {
        guard let name = PersonName(given: text, family: "")?.given, !name.isEmpty,
            name.unicodeScalars.count <= Self.maximumLength
        else { return nil }
        self.text = name
    }
}
