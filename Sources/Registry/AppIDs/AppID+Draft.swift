import Bytes
public import Domain

extension AppID {
    /// What a person typed.
    public struct Input: Sendable {
        public var identifier: String
        public var description: String
        public var isEnabled: Bool
        /// Empty for a primary App ID.
        public var primary: String
        /// Empty for none.
        public var notificationURL: String

        public init(
            identifier: String,
            description: String,
            isEnabled: Bool = true,
            primary: String = "",
            notificationURL: String = ""
        ) {
            self.identifier = identifier
            self.description = description
            self.isEnabled = isEnabled
            self.primary = primary
            self.notificationURL = notificationURL
        }
    }

    /// An App ID as it shall be: every value keeps its rule.
    public struct Draft: Hashable, Sendable {
        public let identifier: ClientID
        public let description: String
        public let isEnabled: Bool
        public let primary: ClientID?
        public let notificationURL: NotificationURL?
    }
}

extension AppID.Draft {
    /// - Throws: `Problems` with everything that is wrong with the input.
    public init(parsing input: AppID.Input, policy: AddressPolicy) throws(Problems) {
        var fields = FieldChecks()
        let identifier = fields.check("identifier") { () throws(Refusal) in
            try ClientID(parsing: input.identifier)
        }
        let description = fields.check("description") { () throws(Refusal) in
            try DisplayText.parse(input.description, limit: DisplayText.descriptionLimit)
        }
        let primary = fields.check("primary") { () throws(Refusal) -> ClientID? in
            guard !input.primary.isEmpty else { return nil }
            let primary = try ClientID(parsing: input.primary)
            guard primary != identifier else { throw .groupedUnderItself }
            return primary
        }
        let notificationURL = fields.check("notificationURL") { () throws(Refusal) -> NotificationURL? in
            guard !input.notificationURL.isEmpty else { return nil }
            return try NotificationURL(parsing: input.notificationURL, policy: policy)
        }
        guard let identifier, let description, let primary, let notificationURL else {
            throw Problems(fields.problems)
        }
        self.init(
            identifier: identifier,
            description: description,
            isEnabled: input.isEnabled,
            primary: primary,
            notificationURL: notificationURL
        )
    }

    var auditedMembers: AuditedMembers {
        [
            "description": .string(description),
            "isEnabled": .boolean(isEnabled),
            "primary": primary.map { .string($0.rawValue) } ?? .null,
            "notificationURL": notificationURL.map { .string($0.text) } ?? .null,
        ]
    }
}

extension AppID.Input {
    /// As it would be typed to get what is registered.
    public init(_ draft: AppID.Draft) {
        self.init(
            identifier: draft.identifier.rawValue,
            description: draft.description,
            isEnabled: draft.isEnabled,
            primary: draft.primary?.rawValue ?? "",
            notificationURL: draft.notificationURL?.text ?? ""
        )
    }
}
