import Core
public import Platform

extension AppID {
    /// Field values of an App ID as the user entered them.
    public struct Input: Sendable {
        public var identifier: String
        public var description: String
        public var isEnabled: Bool
        /// Identifier of the primary App ID; empty for a primary App ID.
        public var primary: String
        /// Empty for none.
        public var notificationURL: String
        public var issuer: String

        public init(
            identifier: String, description: String, isEnabled: Bool = true, primary: String = "",
            notificationURL: String = "", issuer: String = ServiceID.Issuer.own.rawValue
        ) {
            self.identifier = identifier
            self.description = description
            self.isEnabled = isEnabled
            self.primary = primary
            self.notificationURL = notificationURL
            self.issuer = issuer
        }
    }

    /// Validated values of an App ID, ready to be saved.
    public struct Draft: Hashable, Sendable {
        public let identifier: ClientID
        public let description: String
        public let isEnabled: Bool
        public let primary: ClientID?
        public let notificationURL: NotificationURL?
        public let issuer: ServiceID.Issuer
    }
}

extension AppID.Draft {
    /// - Throws: `InvalidFields` with every error of the input.
    public init(parsing input: AppID.Input, policy: HostPolicy) throws(InvalidFields) {
        var fields = FieldChecks()
        let identifier = fields.check("identifier") { () throws(ValidationError) in
            try ClientID(parsing: input.identifier)
        }
        let description = fields.check("description") { () throws(ValidationError) in
            try DisplayText.parse(input.description, limit: DisplayText.descriptionLimit)
        }
        let primary = fields.check("primary") { () throws(ValidationError) -> ClientID? in
            guard !input.primary.isEmpty else { return nil }
            let primary = try ClientID(parsing: input.primary)
            guard primary != identifier else { throw .groupedUnderItself }
            return primary
        }
        let notificationURL = fields.check("notificationURL") { () throws(ValidationError) -> NotificationURL? in
            guard !input.notificationURL.isEmpty else { return nil }
            return try NotificationURL(parsing: input.notificationURL, policy: policy)
        }
        let issuer = fields.check("issuer") { () throws(ValidationError) in try ServiceID.Issuer(choice: input.issuer) }
        guard let identifier, let description, let primary, let notificationURL, let issuer else {
            throw InvalidFields(fields.problems)
        }
        self.init(
            identifier: identifier, description: description, isEnabled: input.isEnabled, primary: primary,
            notificationURL: notificationURL, issuer: issuer)
    }

    var auditedMembers: AuditedMembers {
        [
            "description": .string(description), "isEnabled": .boolean(isEnabled),
            "primary": primary.map { .string($0.rawValue) } ?? .null,
            "notificationURL": notificationURL.map { .string($0.text) } ?? .null, "issuer": .string(issuer.rawValue),
        ]
    }
}

extension AppID.Input {
    /// Field values that parse to `draft`.
    public init(_ draft: AppID.Draft) {
        self.init(
            identifier: draft.identifier.rawValue, description: draft.description, isEnabled: draft.isEnabled,
            primary: draft.primary?.rawValue ?? "", notificationURL: draft.notificationURL?.text ?? "",
            issuer: draft.issuer.rawValue)
    }
}
