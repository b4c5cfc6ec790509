import Bytes
public import Domain

extension AppleConnection {
    /// What a person typed.
    public struct Input: Sendable {
        public var appID: String
        public var servicesID: String
        public var keyID: String

        public init(appID: String, servicesID: String, keyID: String) {
            self.appID = appID
            self.servicesID = servicesID
            self.keyID = keyID
        }
    }

    /// A connection as it shall be.
    public struct Draft: Hashable, Sendable {
        public let appID: ClientID
        public let servicesID: ClientID
        public let keyID: KeyID

        /// - Throws: `Problems` with everything that is wrong with the input.
        public init(parsing input: Input) throws(Problems) {
            var fields = FieldChecks()
            let appID = fields.check("appID") { () throws(Refusal) in try ClientID(parsing: input.appID) }
            let servicesID = fields.check("servicesID") { () throws(Refusal) in
                try Self.servicesID(parsing: input.servicesID, of: appID)
            }
            let keyID = fields.check("keyID") { () throws(Refusal) in
                guard !input.keyID.isEmpty else { throw .missing }
                guard let id = KeyID(rawValue: input.keyID) else { throw .keyIDShape }
                return id
            }
            guard let appID, let servicesID, let keyID else { throw Problems(fields.problems) }
            self.init(appID: appID, servicesID: servicesID, keyID: keyID)
        }

        init(appID: ClientID, servicesID: ClientID, keyID: KeyID) {
            (self.appID, self.servicesID, self.keyID) = (appID, servicesID, keyID)
        }

        /// Apple never gives a Services ID the name of a bundle ID.
        private static func servicesID(parsing text: String, of appID: ClientID?) throws(Refusal) -> ClientID
        {
            let id = try ClientID(parsing: text)
            if let appID, id == appID { throw .bundleIDAsServiceID(id) }
            return id
        }

        var auditedMembers: AuditedMembers {
            ["servicesID": .string(servicesID.rawValue), "keyID": .string(keyID.rawValue)]
        }
    }
}
