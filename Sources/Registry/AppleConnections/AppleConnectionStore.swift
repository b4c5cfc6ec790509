public import Core
public import Platform
public import Postgres

/// The connections to Apple of each team, at most one for each primary App ID.
///
/// Every change is one transaction with its audit event; it throws `ValidationError` when it breaks a registry rule,
/// else `PostgresFailure`.
public struct AppleConnectionStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// The connection of a primary App ID, or nil when it has none.
    public func find(of appID: ClientID, in team: TeamID) async throws(PostgresFailure) -> AppleConnection? {
        try await database.query(Self.selection(appID, team), in: team).firstValue(AppleConnection.init)
    }

    /// All connections of the team, in the order of App IDs.
    public func list(in team: TeamID) async throws(PostgresFailure) -> [AppleConnection] {
        try await database.query(Self.listing(team), in: team).all(AppleConnection.init)
    }

    /// Whether the team has a connection.
    public func hasAny(in team: TeamID) async throws(PostgresFailure) -> Bool {
        let rows = try await database.query(
            "SELECT EXISTS (SELECT FROM apple_connections WHERE team_id = \(team))", in: team)
        return try rows.only { (row: inout Row) throws(PostgresFailure) in try row.next() }
    }

    public func list(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure)
        -> [AppleConnection]
    { try await transaction.query(Self.listing(team)).all(AppleConnection.init) }

    /// Creates or replaces the connection of an App ID.
    ///
    /// - Parameter version: the state of the connection that the change is based on.
    public func save(_ draft: AppleConnection.Draft, over version: Version, _ change: borrowing Change) async throws
        -> Update<AppleConnection>
    {
        try await AppIDStore.holdPrimary(draft.appID, change)
        try await Self.requireKey(draft, change)
        let current = try await change.query("\(Self.selection(draft.appID, change.team)) FOR UPDATE OF c").firstValue(
            AppleConnection.init)
        switch (version, current) {
        case (.exactly(let number), let current?) where number != current.version: return .conflict(current: current)
        case (.exactly, nil): return .notFound
        case (.none, let current?): return .conflict(current: current)
        default: break
        }
        if let current, current.draft == draft { return .saved(current) }
        if draft.servicesID != current?.servicesID {
            try await Self.requireFree(draft.servicesID, for: draft.appID, change)
        }
        try await change.query(Self.saving(draft, change.team))
        try await change.record(
            current == nil ? "apple_connection.created" : "apple_connection.updated", .appleConnection(draft.appID),
            from: current?.settings.typed ?? [:], to: draft.settings.typed)
        return .saved(try await change.query(Self.selection(draft.appID, change.team)).only(AppleConnection.init))
    }

    /// State of a connection that a change is based on.
    public enum Version: Hashable, Sendable {
        /// There is no connection yet.
        case none
        case exactly(Int)
        /// Any version, or no connection.
        case any
    }

    /// Deletes a connection: sign-ins at Apple stop for that group of apps.
    ///
    /// - Returns: the deleted connection, or nil when there was none.
    public func delete(of appID: ClientID, reason: String, _ change: borrowing Change) async throws -> AppleConnection?
    {
        let found = try await change.query("\(Self.selection(appID, change.team)) FOR UPDATE OF c").firstValue(
            AppleConnection.init)
        guard let found else { return nil }
        try await change.query("DELETE FROM apple_connections WHERE team_id = \(change.team) AND app_id = \(appID)")
        try await change.record(
            "apple_connection.deleted", .appleConnection(appID), from: found.settings.typed, to: .reason(reason))
        return found
    }

    /// - Throws: `ValidationError` while a connection uses the key.
    static func requireUnused(_ key: KeyID, _ change: borrowing Change) async throws {
        let rows = try await change.query(
            "SELECT app_id FROM apple_connections WHERE team_id = \(change.team) AND key_id = \(key) LIMIT 1")
        guard var row = rows.first else { return }
        throw ValidationError.keyOfConnection(try row.next())
    }

    private static let columns: SQL = """
        c.app_id, c.services_id, c.key_id, c.transferred_on::text, k.apple_team_id, c.version, c.created_at
        """

    private static func listing(_ team: TeamID) -> SQL {
        """
        SELECT \(columns)
        FROM apple_connections AS c JOIN apple_keys AS k ON k.team_id = c.team_id AND k.key_id = c.key_id
        WHERE c.team_id = \(team)
        ORDER BY c.app_id
        """
    }

    private static func selection(_ appID: ClientID, _ team: TeamID) -> SQL {
        """
        SELECT \(columns)
        FROM apple_connections AS c JOIN apple_keys AS k ON k.team_id = c.team_id AND k.key_id = c.key_id
        WHERE c.team_id = \(team) AND c.app_id = \(appID)
        """
    }

    private static func saving(_ draft: AppleConnection.Draft, _ team: TeamID) -> SQL {
        """
        INSERT INTO apple_connections AS c (team_id, app_id, services_id, key_id, transferred_on)
        VALUES (
            \(team), \(draft.appID), \(draft.servicesID), \(draft.keyID), \(draft.transferredOn?.description)::date
        )
        ON CONFLICT (team_id, app_id) DO UPDATE
        SET services_id = excluded.services_id, key_id = excluded.key_id, transferred_on = excluded.transferred_on,
            version = c.version + 1
        """
    }

    /// Statement that notes the day of the first token with a `transfer_sub`, unless a day is known.
    public static func noteTransfer(of appID: ClientID, at moment: Timestamp, by actor: Actor, in team: TeamID) -> SQL {
        let day = AppleTransferDay(of: moment).description
        let event = AuditEvent(
            "apple_connection.updated", by: actor, on: .appleConnection(appID), from: .local,
            before: ["transferredOn": ""], after: ["transferredOn": .string(day)])
        return """
            WITH noted AS (
                UPDATE apple_connections SET transferred_on = \(day)::date, version = version + 1
                WHERE team_id = \(team) AND app_id = \(appID) AND transferred_on IS NULL
                RETURNING app_id
            )
            \(event.insertion(in: team, when: "FROM noted"))
            """
    }

    /// Requires that no other connection uses the Services ID and that it is not a bundle ID of the team.
    ///
    /// Apple has one group of apps per Services ID, and never gives it the name of a bundle ID. The team's row is
    /// locked, so that two concurrent changes cannot use the same Services ID.
    private static func requireFree(_ servicesID: ClientID, for appID: ClientID, _ change: borrowing Change)
        async throws
    {
        try await change.lockTeam()
        let rows = try await change.query(
            """
            SELECT app_id FROM apple_connections
            WHERE team_id = \(change.team) AND services_id = \(servicesID) AND app_id <> \(appID)
            ORDER BY app_id LIMIT 1
            """)
        if var row = rows.first { throw ValidationError.servicesIDTaken(servicesID, by: try row.next()) }
        let apps = try await change.query(
            """
            SELECT identifier FROM app_ids
            WHERE team_id = \(change.team) AND lower(identifier) = lower(\(servicesID)) LIMIT 1
            """)
        if var row = apps.first { throw ValidationError.bundleIDAsServiceID(try row.next()) }
    }

    /// - Throws: `ValidationError` when a connection uses the Services ID, compared without regard to case.
    static func requireNone(as servicesID: ClientID, _ change: borrowing Change) async throws {
        let rows = try await change.query(
            """
            SELECT services_id FROM apple_connections
            WHERE team_id = \(change.team) AND lower(services_id) = lower(\(servicesID)) LIMIT 1
            """)
        if var row = rows.first { throw ValidationError.servicesIDAsBundleID(try row.next()) }
    }

    /// Requires that the key belongs to the same App ID, and locks it against deletion until the transaction ends.
    private static func requireKey(_ draft: AppleConnection.Draft, _ change: borrowing Change) async throws {
        let rows = try await change.query(
            """
            SELECT app_id FROM apple_keys WHERE team_id = \(change.team) AND key_id = \(draft.keyID) FOR KEY SHARE
            """)
        guard var row = rows.first else { throw ValidationError.unknownAppleKey(draft.keyID) }
        let owner: ClientID = try row.next()
        guard owner == draft.appID else { throw ValidationError.appleKeyOfOtherApp(draft.keyID, of: owner) }
    }
}

/// Registration of a primary App ID's group at Apple: the client credentials that Pippin uses for sign-ins at Apple.
///
/// Every value may differ from the team's own identifiers in Pippin.
@dynamicMemberLookup public struct AppleConnection: Hashable, Sendable {
    /// What can be changed of it.
    public struct Settings: DeclaredSettings {
        /// The Apple Services ID: the client for web and Android.
        @Required public var servicesID: ClientID
        /// The imported Apple key that signs client secrets.
        @Required public var keyID: KeyID
        /// The day on which the group came from another team at Apple; nil if it did not, as far as is known.
        public var transferredOn: AppleTransferDay?

        public init() {}

        public static let all: [Setting<Self>] = [
            .line("servicesID", \.$servicesID) { text, _ throws(ValidationError) in try ClientID(parsing: text) },
            .line("keyID", \.$keyID) { text, _ throws(ValidationError) in try KeyID(parsing: text) },
            .line("transferredOn", \.transferredOn, isOptional: true) { text, _ throws(ValidationError) in
                try AppleTransferDay(parsing: text)
            },
        ]
    }

    /// The primary App ID; the bundle IDs of its group are the audiences of native sign-ins.
    public let appID: ClientID
    public let settings: Settings
    /// The issuer of client secrets: the Apple team that owns the key.
    public let appleTeamID: AppleTeamID
    /// Incremented with every change; a form carries the version it was filled from.
    public let version: Int
    public let createdAt: Timestamp

    public subscript<Value>(dynamicMember setting: KeyPath<Settings, Value>) -> Value { settings[keyPath: setting] }

    public var draft: Draft { Draft(appID: appID, settings: settings) }

    /// The bundle IDs of a primary App ID's group, each a client at Apple of its own, in alphabetical order.
    ///
    /// Includes App IDs with sign-in disabled: tokens that Apple issued to them are validated and revoked under their
    /// identifiers, and Apple keeps sending notifications about their users.
    /// - Parameter apps: all App IDs of the team, each with the primary App ID of its group.
    public static func bundleIDs(
        of primary: ClientID, among apps: some Sequence<(app: ClientID, primaryAppID: ClientID)>
    ) -> [ClientID] { apps.filter { $0.primaryAppID == primary }.map(\.app).sorted { $0.rawValue < $1.rawValue } }

    /// Reads `AppleConnectionStore.columns`.
    init(_ row: inout Row) throws(PostgresFailure) {
        appID = try row.next()
        var settings = Settings()
        settings.servicesID = try row.next()
        settings.keyID = try row.next()
        settings.transferredOn = try row.next(String?.self).flatMap(AppleTransferDay.init(stored:))
        self.settings = settings
        appleTeamID = try row.next()
        version = try row.next()
        createdAt = try row.next()
    }

    /// A connection to be saved.
    @dynamicMemberLookup public struct Draft: Hashable, Sendable {
        public let appID: ClientID
        public let settings: Settings

        public subscript<Value>(dynamicMember setting: KeyPath<Settings, Value>) -> Value { settings[keyPath: setting] }
    }
}

extension AppleConnection.Draft {
    /// Rejects the App ID's own bundle ID as the Services ID, because an Apple Services ID never equals a bundle ID.
    ///
    /// - Throws: `FieldErrors` with every error of the App ID and the settings.
    public init(_ appID: String, _ typed: Typed) throws(FieldErrors) {
        var errors = FieldErrors()
        let id = errors.check("appID", try ClientID(parsing: appID))
        let settings = errors.collect(under: .whole, try AppleConnection.Settings(typed, policy: .hostNames))
        if let id, typed["servicesID"]?.string?.typedCode == id.rawValue {
            errors.add("servicesID", .bundleIDAsServiceID(id))
        }
        guard let id, let settings, errors.isEmpty else { throw errors }
        self.init(appID: id, settings: settings)
    }
}

/// Day in UTC on which a group of apps went from one team at Apple to another (Apple, "Bringing new apps and users into
/// your team").
public struct AppleTransferDay: Hashable, Sendable, CustomStringConvertible {
    private let beginning: Timestamp

    init(parsing text: String) throws(ValidationError) {
        guard let day = AppleTransferDay(stored: text) else { throw .day(text) }
        self = day
    }

    /// Parses a stored day.
    public init?(stored text: String) {
        guard let beginning = Timestamp(day: text) else { return nil }
        self.beginning = beginning
    }

    init(of moment: Timestamp) { beginning = Timestamp(seconds: moment.seconds - moment.seconds % 86_400) }

    public var description: String { String(beginning.description.prefix(10)) }

    private var end: Timestamp { beginning + .seconds(86_400) }

    /// Whether Apple still names people by `transfer_sub`, for sixty days.
    public func isOpen(at now: Timestamp) -> Bool { now < end + AppTransfer.window }

    /// Whether the transfer, if its day has come, may have ended what is of that time.
    public func mayEnd(whatBegan moment: Timestamp, at now: Timestamp) -> Bool { beginning <= now && moment < end }
}
