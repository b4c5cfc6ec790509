public import Core
public import Platform
import Postgres

/// A P-256 key that Apple issued to a team, stored with its encrypted private key to sign client secrets for Apple.
public struct AppleKey: Hashable, Sendable {
    /// Apple's Key ID, as in the name of the .p8 file.
    public let id: KeyID
    public let appleTeamID: AppleTeamID
    public let name: String
    /// The primary App ID whose group uses it.
    public let appID: ClientID
    /// SHA-256 of the public key's DER in hexadecimal.
    public let fingerprint: String
    /// Incremented with every change; a form carries the version it was filled from.
    public let version: Int
    public let createdAt: Timestamp

    /// Its editable values.
    public var draft: Draft { Draft(id: id, appleTeamID: appleTeamID, name: name) }

    /// Reads `AppleKeyStore.columns`.
    init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        appleTeamID = try row.next()
        name = try row.next()
        appID = try row.next()
        fingerprint = try row.next()
        version = try row.next()
        createdAt = try row.next()
    }
}
