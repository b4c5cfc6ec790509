public import Core
public import Platform
public import Postgres

/// An app, identified by its bundle ID.
@dynamicMemberLookup public struct AppID: Hashable, Sendable {
    /// What can be changed of it.
    public struct Settings: DeclaredSettings {
        /// The app's name on the hosted pages.
        public var description = ""
        /// The primary App ID it is grouped under; nil when it is a primary App ID itself.
        public var primary: ClientID?
        public var notificationURL: NotificationURL?
        /// The issuer in tokens of its native app.
        public var issuer = ServiceID.Issuer.own
        /// Whether Sign in with Apple is enabled for it.
        public var isEnabled = true

        public init() {}

        public static let all: [Setting<Self>] = [
            .line("description", \.description) { text, _ throws(ValidationError) in
                try DisplayText.parse(text, limit: DisplayText.descriptionLimit)
            },
            .line("primary", \.primary, isOptional: true) { text, _ throws(ValidationError) in
                try ClientID(parsing: text)
            },
            .line("notificationURL", \.notificationURL, isOptional: true) { text, reader throws(ValidationError) in
                try NotificationURL(parsing: text, policy: reader.policy)
            }, .choice("issuer", \.issuer), .flag("signIn", \.isEnabled),
        ]
    }

    public let identifier: ClientID
    public let settings: Settings
    /// Incremented with every change; a form carries the version it was filled from.
    public let version: Int
    public let createdAt: Timestamp

    public subscript<Value>(dynamicMember setting: KeyPath<Settings, Value>) -> Value { settings[keyPath: setting] }

    /// The primary App ID of its group, which may be itself.
    public var primaryAppID: ClientID { settings.primary ?? identifier }

    public var draft: Draft { Draft(identifier: identifier, settings: settings) }

    /// All App IDs of a team.
    public static func selection(of team: TeamID) -> SQL {
        "SELECT \(AppIDStore.columns) FROM app_ids AS a WHERE a.team_id = \(team)"
    }

    /// Reads `AppIDStore.columns`.
    public init(_ row: inout Row) throws(PostgresFailure) {
        identifier = try row.next()
        var settings = Settings()
        settings.description = try row.next()
        settings.isEnabled = try row.next()
        settings.primary = try row.next()
        settings.notificationURL = try row.next(String?.self).map(NotificationURL.init(stored:))
        settings.issuer = try row.next()
        self.settings = settings
        version = try row.next()
        createdAt = try row.next()
    }

    /// An App ID to be saved.
    public struct Draft: Hashable, Sendable {
        public let identifier: ClientID
        public let settings: Settings
    }
}

extension AppID.Draft {
    /// - Throws: `FieldErrors` with every error of the identifier and the settings.
    public init(_ identifier: String, _ typed: Typed, policy: HostPolicy) throws(FieldErrors) {
        var errors = FieldErrors()
        let id = errors.check("identifier", try ClientID(parsing: identifier))
        let settings = errors.collect(under: .whole, try AppID.Settings(typed, policy: policy))
        if let id, typed["primary"]?.string?.typedCode == id.rawValue { errors.add("primary", .groupedUnderItself) }
        guard let id, let settings, errors.isEmpty else { throw errors }
        self.init(identifier: id, settings: settings)
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
