public import Core
import Crypto
public import Platform
import Postgres

/// A P-256 key that Apple issued to a team, stored with its encrypted private key to sign client secrets for Apple.
@dynamicMemberLookup public struct AppleKey: Hashable, Sendable {
    /// What can be changed of it.
    public struct Settings: DeclaredSettings {
        public var name = ""
        /// The Apple team that owns the key.
        @Required public var appleTeamID: AppleTeamID

        public init() {}

        public static let all: [Setting<Self>] = [
            .line("name", \.name) { text, _ throws(ValidationError) in try Key.name(parsing: text) },
            .line("teamID", \.$appleTeamID) { text, _ throws(ValidationError) in try AppleTeamID(parsing: text) },
        ]
    }

    /// Apple's Key ID, as in the name of the .p8 file.
    public let id: KeyID
    public let settings: Settings
    /// The primary App ID whose group uses it.
    public let appID: ClientID
    /// SHA-256 of the public key's DER in hexadecimal.
    public let fingerprint: String
    /// Incremented with every change; a form carries the version it was filled from.
    public let version: Int
    public let createdAt: Timestamp

    public subscript<Value>(dynamicMember setting: KeyPath<Settings, Value>) -> Value { settings[keyPath: setting] }

    /// Reads `AppleKeyStore.columns`.
    init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        var settings = Settings()
        settings.appleTeamID = try row.next()
        settings.name = try row.next()
        self.settings = settings
        appID = try row.next()
        fingerprint = try row.next()
        version = try row.next()
        createdAt = try row.next()
    }

    /// An Apple key to be imported, with its private key.
    public struct Import: Sendable {
        public let id: KeyID
        public let settings: Settings
        public let appID: ClientID
        let key: P256SigningKey

        /// SHA-256 of the public key's DER in hexadecimal.
        public var fingerprint: String { Key.fingerprint(of: key.publicKey) }

        /// - Throws: `FieldErrors` with every error.
        public init(_ id: String, of appID: String, privateKey: String, _ typed: Typed) throws(FieldErrors) {
            var errors = FieldErrors()
            let id = errors.check("id", try KeyID(parsing: id))
            let settings = errors.collect(under: .whole, try Settings(typed, policy: .hostNames))
            let appID = errors.check("appID", try ClientID(parsing: appID))
            let key = errors.check("privateKey", try AppleKey.privateKey(parsing: privateKey))
            guard let id, let settings, let appID, let key else { throw errors }
            (self.id, self.settings, self.appID, self.key) = (id, settings, appID, key)
        }
    }
}

extension KeyID {
    /// Parses a key ID as entered.
    init(parsing text: String) throws(ValidationError) {
        guard !text.isEmpty else { throw .missing }
        guard let id = KeyID(rawValue: text.typedCode) else { throw .keyIDShape }
        self = id
    }
}

extension AppleTeamID {
    /// Parses an Apple Team ID as entered, in letters of any case.
    fileprivate init(parsing text: String) throws(ValidationError) {
        guard !text.isEmpty else { throw .missing }
        guard let team = AppleTeamID(rawValue: text.typedCode.uppercased()) else { throw .appleTeamIDShape }
        self = team
    }
}

extension AppleKey {
    fileprivate static func privateKey(parsing pem: String) throws(ValidationError) -> P256SigningKey {
        guard !pem.isEmpty else { throw .missing }
        do throws(KeyFailure) { return try P256SigningKey(pem: pem) } catch { throw .notApplePrivateKey(error) }
    }
}
