public import Core
public import Platform
public import Postgres

/// A web or Android client of an App ID, identified by its Service ID.
@dynamicMemberLookup public struct ServiceID: Hashable, Sendable {
    /// The issuer in its tokens.
    public enum Issuer: String, SQLText, CaseIterable {
        /// The team's own issuer URL.
        case own
        /// `https://appleid.apple.com`, for clients that hard-code it.
        case apple
    }

    /// Format of `email_verified` and similar claims in tokens.
    public enum Booleans: String, SQLText, CaseIterable {
        case json
        case string
    }

    /// What can be changed of it; the host of every return URL is covered by a domain.
    public struct Settings: DeclaredSettings {
        /// The app's name on the hosted pages.
        public var description = ""
        /// In alphabetical order, as the database returns them.
        public var domains: [DomainName] = []
        public var returnURLs: [ReturnURL] = []
        public var issuer = Issuer.own
        public var booleans = Booleans.json
        public var requiresPKCE = false

        public init() {}

        public static let all: [Setting<Self>] = [
            .line("description", \.description) { text, _ throws(ValidationError) in
                try DisplayText.parse(text, limit: DisplayText.descriptionLimit)
            },
            .list("domains", \.domains, atMost: Quota.domains.count, isSorted: true) {
                text, reader throws(ValidationError) in try DomainName(parsing: text, policy: reader.policy)
            },
            // When a domain is invalid, return URLs are not also checked against the domains: that would repeat it.
            .list("returnURLs", \.returnURLs, atMost: Quota.returnURLs.count, inRows: true) {
                text, reader throws(ValidationError) in
                let domains = reader.isFaulty("domains") ? nil : reader.values.domains
                return try ReturnURL(parsing: text, on: domains, policy: reader.policy)
            }, .choice("issuer", \.issuer), .choice("booleans", \.booleans), .flag("requirePKCE", \.requiresPKCE),
        ]
    }

    public let identifier: ClientID
    public let appID: ClientID
    public let settings: Settings
    /// Incremented with every change; a form carries the version it was filled from.
    public let version: Int
    public let createdAt: Timestamp

    public subscript<Value>(dynamicMember setting: KeyPath<Settings, Value>) -> Value { settings[keyPath: setting] }

    public var draft: Draft { Draft(identifier: identifier, appID: appID, settings: settings) }

    /// All Service IDs of a team.
    public static func selection(of team: TeamID) -> SQL {
        "SELECT \(ServiceIDStore.columns) FROM service_ids AS s WHERE s.team_id = \(team)"
    }

    /// Reads `ServiceIDStore.columns`.
    public init(_ row: inout Row) throws(PostgresFailure) {
        identifier = try row.next()
        appID = try row.next()
        var settings = Settings()
        settings.description = try row.next()
        settings.issuer = try row.next()
        settings.booleans = try row.next()
        settings.requiresPKCE = try row.next()
        version = try row.next()
        createdAt = try row.next()
        settings.domains = try row.next([String].self).map(DomainName.init(stored:))
        settings.returnURLs = try row.next([String].self).map(ReturnURL.init(stored:))
        self.settings = settings
    }

    /// A Service ID to be saved.
    public struct Draft: Hashable, Sendable {
        public let identifier: ClientID
        public let appID: ClientID
        public let settings: Settings
    }
}

extension ServiceID.Draft {
    /// - Throws: `FieldErrors` with every error of the identifier and the settings.
    public init(_ identifier: String, of appID: ClientID, _ typed: Typed, policy: HostPolicy) throws(FieldErrors) {
        var errors = FieldErrors()
        let identifier = errors.check("identifier", try ClientID(parsing: identifier))
        let settings = errors.collect(under: .whole, try ServiceID.Settings(typed, policy: policy))
        guard let identifier, let settings else { throw errors }
        self.init(identifier: identifier, appID: appID, settings: settings)
    }

    var auditedMembers: AuditedMembers { settings.typed.merging(["appID": .string(appID.rawValue)]) { $1 } }
}
