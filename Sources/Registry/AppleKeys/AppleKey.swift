public import Core
import Crypto
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

extension AppleKey {
    /// Field values of an Apple key as the user entered them or pasted them from the file.
    public struct Input: Sendable {
        public var id: String
        public var appleTeamID: String
        public var name: String
        public var appID: String
        public var privateKey: String

        public init(id: String, appleTeamID: String, name: String, appID: String = "", privateKey: String = "") {
            self.id = id
            self.appleTeamID = appleTeamID
            self.name = name
            self.appID = appID
            self.privateKey = privateKey
        }
    }

    /// Validated editable values of an Apple key, ready to be saved.
    public struct Draft: Hashable, Sendable {
        public let id: KeyID
        public let appleTeamID: AppleTeamID
        public let name: String

        var auditedMembers: AuditedMembers { ["name": .string(name), "appleTeamID": .string(appleTeamID.rawValue)] }
    }

    /// An Apple key to be imported, with its private key.
    public struct Import: Sendable {
        public let draft: Draft
        public let appID: ClientID
        let key: P256SigningKey

        /// SHA-256 of the public key's DER in hexadecimal.
        public var fingerprint: String { Key.fingerprint(of: key.publicKey) }

        /// - Throws: `FieldErrors` with every error of the input.
        public init(parsing input: Input) throws(FieldErrors) {
            var errors = FieldErrors()
            let draft = errors.draft(input)
            let appID = errors.check("appID", try ClientID(parsing: input.appID))
            let key = errors.check("privateKey", try AppleKey.privateKey(parsing: input.privateKey))
            guard let draft, let appID, let key else { throw errors }
            (self.draft, self.appID, self.key) = (draft, appID, key)
        }
    }
}

extension AppleKey.Draft {
    /// - Throws: `FieldErrors` with every error of the input.
    public init(parsing input: AppleKey.Input) throws(FieldErrors) {
        var errors = FieldErrors()
        guard let parsed = errors.draft(input) else { throw errors }
        self = parsed
    }
}

extension KeyID {
    /// Parses a key ID as entered.
    init(parsing text: String) throws(ValidationError) {
        guard !text.isEmpty else { throw .missing }
        guard let id = KeyID(rawValue: text) else { throw .keyIDShape }
        self = id
    }
}

extension AppleTeamID {
    /// Parses an Apple Team ID as entered.
    fileprivate init(parsing text: String) throws(ValidationError) {
        guard !text.isEmpty else { throw .missing }
        guard let team = AppleTeamID(rawValue: text) else { throw .appleTeamIDShape }
        self = team
    }
}

extension AppleKey {
    fileprivate static func privateKey(parsing pem: String) throws(ValidationError) -> P256SigningKey {
        guard !pem.isEmpty else { throw .missing }
        do throws(KeyFailure) { return try P256SigningKey(pem: pem) } catch { throw .notApplePrivateKey(error) }
    }
}

extension FieldErrors {
    fileprivate mutating func draft(_ input: AppleKey.Input) -> AppleKey.Draft? {
        let id = check("id", try KeyID(parsing: input.id))
        let team = check("appleTeamID", try AppleTeamID(parsing: input.appleTeamID))
        let name = check("name", try Key.name(parsing: input.name))
        guard let id, let team, let name else { return nil }
        return AppleKey.Draft(id: id, appleTeamID: team, name: name)
    }
}
