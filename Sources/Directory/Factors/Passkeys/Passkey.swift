public import Core
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
