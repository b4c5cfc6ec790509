import Bytes
import Crypto
public import Domain

extension AppleKey {
    /// What a person typed, or pasted from the file.
    public struct Input: Sendable {
        public var id: String
        public var appleTeamID: String
        public var name: String
        public var appID: String
        public var privateKey: String

        public init(
            id: String,
            appleTeamID: String,
            name: String,
            appID: String = "",
            privateKey: String = ""
        ) {
            self.id = id
            self.appleTeamID = appleTeamID
            self.name = name
            self.appID = appID
            self.privateKey = privateKey
        }
    }

    /// What of a key can be edited, as it shall be.
    public struct Draft: Hashable, Sendable {
        public let id: KeyID
        public let appleTeamID: AppleTeamID
        public let name: String

        /// - Throws: `Problems` with everything that is wrong with the input.
        public init(parsing input: Input) throws(Problems) {
            var fields = FieldChecks()
            let parsed = fields.draft(input)
            guard let parsed else { throw Problems(fields.problems) }
            self = parsed
        }

        init(id: KeyID, appleTeamID: AppleTeamID, name: String) {
            (self.id, self.appleTeamID, self.name) = (id, appleTeamID, name)
        }

        var auditedMembers: AuditedMembers {
            ["name": .string(name), "appleTeamID": .string(appleTeamID.rawValue)]
        }
    }

    /// A key to be imported, with its private half.
    public struct Import: Sendable {
        public let draft: Draft
        public let appID: ClientID
        let key: P256SigningKey

        /// SHA-256 of the public key's DER in hexadecimal.
        public var fingerprint: String { Key.fingerprint(of: key.publicKey) }

        /// - Throws: `Problems` with everything that is wrong with the input.
        public init(parsing input: Input) throws(Problems) {
            var fields = FieldChecks()
            let draft = fields.draft(input)
            let appID = fields.check("appID") { () throws(Refusal) in try ClientID(parsing: input.appID) }
            let key = fields.check("privateKey") { () throws(Refusal) in
                try AppleKey.privateKey(parsing: input.privateKey)
            }
            guard let draft, let appID, let key else { throw Problems(fields.problems) }
            (self.draft, self.appID, self.key) = (draft, appID, key)
        }
    }

    /// Reads a .p8 file as people paste it.
    static func privateKey(parsing text: String) throws(Refusal) -> P256SigningKey {
        guard !text.isEmpty else { throw .missing }
        do {
            return try P256SigningKey(pem: text)
        } catch {
            throw .notApplePrivateKey(error)
        }
    }
}

extension FieldChecks {
    fileprivate mutating func draft(_ input: AppleKey.Input) -> AppleKey.Draft? {
        let id = check("id") { () throws(Refusal) in
            guard !input.id.isEmpty else { throw .missing }
            guard let id = KeyID(rawValue: input.id) else { throw .keyIDShape }
            return id
        }
        let team = check("appleTeamID") { () throws(Refusal) in
            guard !input.appleTeamID.isEmpty else { throw .missing }
            guard let team = AppleTeamID(rawValue: input.appleTeamID) else { throw .appleTeamIDShape }
            return team
        }
        let name = check("name") { () throws(Refusal) in try Key.name(parsing: input.name) }
        guard let id, let team, let name else { return nil }
        return AppleKey.Draft(id: id, appleTeamID: team, name: name)
    }
}
