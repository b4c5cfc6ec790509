public import Core
public import Platform
import Postgres

/// An app, identified by its bundle ID.
public struct AppID: Hashable, Sendable {
    public let identifier: ClientID
    public let description: String
    /// Whether Sign in with Apple is enabled for it.
    public let isEnabled: Bool
    /// The primary App ID it is grouped under; nil when it is a primary App ID itself.
    public let primary: ClientID?
    public let notificationURL: NotificationURL?
    /// The issuer in tokens of its native app.
    public let issuer: ServiceID.Issuer
    /// Incremented with every change; a form carries the version it was filled from.
    public let version: Int
    public let createdAt: Timestamp

    /// The primary App ID of its group, which may be itself.
    public var primaryAppID: ClientID { primary ?? identifier }

    /// Its editable values.
    public var draft: Draft {
        Draft(
            identifier: identifier, description: description, isEnabled: isEnabled, primary: primary,
            notificationURL: notificationURL, issuer: issuer)
    }

    /// Reads `AppIDStore.columns`.
    init(_ row: inout Row) throws(PostgresFailure) {
        identifier = try row.next()
        description = try row.next()
        isEnabled = try row.next()
        primary = try row.next()
        notificationURL = try row.next(String?.self).map(NotificationURL.init(stored:))
        issuer = try row.next()
        version = try row.next()
        createdAt = try row.next()
    }
}

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
    /// - Throws: `FieldErrors` with every error of the input.
    public init(parsing input: AppID.Input, policy: HostPolicy) throws(FieldErrors) {
        var errors = FieldErrors()
        let identifier = errors.check("identifier", try ClientID(parsing: input.identifier))
        let description = errors.check(
            "description", try DisplayText.parse(input.description, limit: DisplayText.descriptionLimit))
        let primary = errors.check("primary", try input.primary.isEmpty ? nil : ClientID(parsing: input.primary))
        if let identifier, primary == identifier { errors.add("primary", .groupedUnderItself) }
        let address = input.notificationURL
        let notificationURL = errors.check(
            "notificationURL", try address.isEmpty ? nil : NotificationURL(parsing: address, policy: policy))
        let issuer = errors.check("issuer", try ServiceID.Issuer(choice: input.issuer))
        guard let identifier, let description, let primary, let notificationURL, let issuer, errors.isEmpty else {
            throw errors
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

/// Objects that are deleted or changed when an App ID is deleted.
public struct AppIDConsequences: Hashable, Sendable {
    public let serviceIDs: [ClientID]
    /// Active keys; revoked keys are deleted too, but not listed.
    public let activeKeys: [KeyID]
    /// Apple keys used by its group.
    public let appleKeys: [KeyID]
    /// App IDs grouped under it: they become primary App IDs, and their users are asked for consent again.
    public let groupedAppIDs: [ClientID]
    /// Limit of `people`; one more means "more than that".
    public static let countLimit = 1000
    /// Number of users with a consent for it, at most `countLimit + 1`.
    public let people: Int

    init(_ row: inout Row) throws(PostgresFailure) {
        serviceIDs = try row.next([String].self).compactMap(ClientID.init(rawValue:))
        activeKeys = try row.next([String].self).compactMap(KeyID.init(rawValue:))
        appleKeys = try row.next([String].self).compactMap(KeyID.init(rawValue:))
        groupedAppIDs = try row.next([String].self).compactMap(ClientID.init(rawValue:))
        people = try row.next()
    }

    var auditedMembers: AuditedMembers {
        [
            "serviceIDs": .array(serviceIDs.map { .string($0.rawValue) }),
            "keys": .array(activeKeys.map { .string($0.rawValue) }),
            "appleKeys": .array(appleKeys.map { .string($0.rawValue) }),
            "groupedAppIDs": .array(groupedAppIDs.map { .string($0.rawValue) }),
            "people": people > Self.countLimit ? .string("more than \(Self.countLimit)") : .integer(Int64(people)),
        ]
    }
}

extension RawRepresentable where RawValue == String, Self: CaseIterable {
    /// The case with this raw value.
    fileprivate init(choice text: String) throws(ValidationError) {
        guard let value = Self(rawValue: text) else {
            throw .unknownValue(text, allowed: Self.allCases.map(\.rawValue))
        }
        self = value
    }
}
