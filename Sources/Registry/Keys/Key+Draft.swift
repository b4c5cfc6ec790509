import Bytes
import Crypto
public import Domain

extension Key {
    /// A key to be issued: its pair is made here.
    public struct Issue: Hashable, Sendable {
        public let name: String
        public let appID: ClientID

        /// - Throws: `Problems` with everything that is wrong with what a person typed.
        public init(name: String, appID: String) throws(Problems) {
            var fields = FieldChecks()
            let parsedName = fields.check("name") { () throws(Refusal) in try Key.name(parsing: name) }
            let parsedAppID = fields.check("appID") { () throws(Refusal) in try ClientID(parsing: appID) }
            guard let parsedName, let parsedAppID else { throw Problems(fields.problems) }
            (self.name, self.appID) = (parsedName, parsedAppID)
        }
    }

    /// A key whose pair was made elsewhere: its public half is registered under an id of the team's choice.
    public struct Registration: Hashable, Sendable {
        public let id: KeyID
        public let name: String
        public let appID: ClientID
        /// In the one spelling of `P256PublicKey.pem`.
        public let publicKeyPEM: String
        public let fingerprint: String

        /// - Throws: `Problems` with everything that is wrong with the input.
        public init(id: String, name: String, appID: String, publicKeyPEM: String) throws(Problems) {
            var fields = FieldChecks()
            let parsedID = fields.check("id") { () throws(Refusal) in
                guard let id = KeyID(rawValue: id) else { throw .keyIDShape }
                return id
            }
            let parsedName = fields.check("name") { () throws(Refusal) in try Key.name(parsing: name) }
            let parsedAppID = fields.check("appID") { () throws(Refusal) in try ClientID(parsing: appID) }
            let key = fields.check("publicKeyPEM") { () throws(Refusal) in
                try Key.publicKey(parsing: publicKeyPEM)
            }
            guard let parsedID, let parsedName, let parsedAppID, let key else {
                throw Problems(fields.problems)
            }
            self.id = parsedID
            self.name = parsedName
            self.appID = parsedAppID
            self.publicKeyPEM = key.pem
            fingerprint = Key.fingerprint(of: key)
        }
    }

    /// The name of a key: what the team's people call it.
    public static func name(parsing text: String) throws(Refusal) -> String {
        try DisplayText.parse(text, limit: DisplayText.nameLimit)
    }

    static func publicKey(parsing pem: String) throws(Refusal) -> P256PublicKey {
        guard !pem.isEmpty else { throw .missing }
        do {
            return try P256PublicKey(pem: pem)
        } catch .privateKey, .encrypted {
            throw .privateKeyGiven
        } catch {
            throw .notPublicKey
        }
    }

    static func fingerprint(of key: P256PublicKey) -> String {
        Hex.encode(SHA256.hash(key.der))
    }
}
