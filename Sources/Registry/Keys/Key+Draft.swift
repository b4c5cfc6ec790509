import Core
import Crypto
public import Platform

extension Key {
    /// A key to be issued, whose key pair Pippin generates.
    public struct Issue: Hashable, Sendable {
        public let name: String
        public let appID: ClientID

        /// - Throws: `InvalidFields` with every error of the input.
        public init(name: String, appID: String) throws(InvalidFields) {
            var fields = FieldChecks()
            let parsedName = fields.check("name") { () throws(ValidationError) in try Key.name(parsing: name) }
            let parsedAppID = fields.check("appID") { () throws(ValidationError) in try ClientID(parsing: appID) }
            guard let parsedName, let parsedAppID else { throw InvalidFields(fields.problems) }
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

        /// - Throws: `InvalidFields` with every error of the input.
        public init(id: String, name: String, appID: String, publicKeyPEM: String) throws(InvalidFields) {
            var fields = FieldChecks()
            let parsedID = fields.check("id") { () throws(ValidationError) in
                guard let id = KeyID(rawValue: id) else { throw .keyIDShape }
                return id
            }
            let parsedName = fields.check("name") { () throws(ValidationError) in try Key.name(parsing: name) }
            let parsedAppID = fields.check("appID") { () throws(ValidationError) in try ClientID(parsing: appID) }
            let key = fields.check("publicKeyPEM") { () throws(ValidationError) in
                try Key.publicKey(parsing: publicKeyPEM)
            }
            guard let parsedID, let parsedName, let parsedAppID, let key else { throw InvalidFields(fields.problems) }
            self.id = parsedID
            self.name = parsedName
            self.appID = parsedAppID
            self.publicKeyPEM = key.pem
            fingerprint = Key.fingerprint(of: key)
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
