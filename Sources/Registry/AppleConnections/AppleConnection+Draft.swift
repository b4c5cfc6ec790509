import Core
public import Platform

extension AppleConnection {
    /// Field values of a connection as the user entered them.
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

    /// Validated values of a connection, ready to be saved.
    public struct Draft: Hashable, Sendable {
        public let appID: ClientID
        public let servicesID: ClientID
        public let keyID: KeyID

        /// - Throws: `InvalidFields` with every error of the input.
        public init(parsing input: Input) throws(InvalidFields) {
            var fields = FieldChecks()
            let appID = fields.check("appID") { () throws(ValidationError) in try ClientID(parsing: input.appID) }
            let servicesID = fields.check("servicesID") { () throws(ValidationError) in
                try Self.servicesID(parsing: input.servicesID, of: appID)
            }
            let keyID = fields.check("keyID") { () throws(ValidationError) in
                guard !input.keyID.isEmpty else { throw .missing }
                guard let id = KeyID(rawValue: input.keyID) else { throw .keyIDShape }
                return id
            }
            guard let appID, let servicesID, let keyID else { throw InvalidFields(fields.problems) }
            self.init(appID: appID, servicesID: servicesID, keyID: keyID)
        }

        init(appID: ClientID, servicesID: ClientID, keyID: KeyID) {
            (self.appID, self.servicesID, self.keyID) = (appID, servicesID, keyID)
        }

        /// Rejects the App ID's own bundle ID, because an Apple Services ID never equals a bundle ID.
        private static func servicesID(parsing text: String, of appID: ClientID?) throws(ValidationError) -> ClientID {
            let id = try ClientID(parsing: text)
            if let appID, id == appID { throw .bundleIDAsServiceID(id) }
            return id
        }

        var auditedMembers: AuditedMembers {
            ["servicesID": .string(servicesID.rawValue), "keyID": .string(keyID.rawValue)]
        }
    }
}
