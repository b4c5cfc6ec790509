public import Platform
public import Postgres

/// The App IDs of each team.
///
/// Every change runs with its audit event in the caller's transaction; it throws `ValidationError` when it breaks a
/// registry rule, else `PostgresFailure`.
public struct AppIDStore: Sendable {
    let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    public func find(_ identifier: ClientID, in team: TeamID) async throws(PostgresFailure) -> AppID? {
        let rows = try await database.query(
            """
            SELECT \(Self.columns) FROM app_ids AS a
            WHERE a.team_id = \(team) AND a.identifier = \(identifier)
            """, in: team)
        return try rows.firstValue(AppID.init)
    }

    public func create(_ draft: AppID.Draft, _ change: borrowing Change) async throws -> AppID {
        try await change.lockTeam()
        try await ClientIdentifierStore.claim(draft.identifier, for: .app, change)
        try await Self.requireRoom(change)
        let settings = draft.settings
        if let primary = settings.primary { try await Self.holdPrimary(primary, change) }
        let rows = try await change.query(
            """
            INSERT INTO app_ids AS a (
                team_id, identifier, description, is_enabled, primary_identifier, notification_url, issuer
            ) VALUES (
                \(change.team), \(draft.identifier), \(settings.description), \(settings.isEnabled), \(settings.primary),
                \(settings.notificationURL?.text), \(settings.issuer)
            )
            RETURNING \(Self.columns)
            """)
        try await change.record("app_id.created", .appID(draft.identifier), to: settings.typed)
        return try rows.only(AppID.init)
    }

    /// Replaces the App ID of the draft's identifier.
    ///
    /// - Parameter version: the version the change is based on, or nil to replace any version.
    public func update(to draft: AppID.Draft, version: Int?, _ change: borrowing Change) async throws -> Update<AppID> {
        guard let current = try await Self.lock(draft.identifier, change) else { return .notFound }
        if let version, version != current.version { return .conflict(current: current) }
        if draft == current.draft { return .saved(current) }
        let settings = draft.settings
        if let primary = settings.primary, primary != current.primary {
            try await Self.holdPrimary(primary, change)
            try await Self.requireNothingBelow(draft.identifier, change)
        }
        let rows = try await change.query(
            """
            UPDATE app_ids AS a
            SET description = \(settings.description), is_enabled = \(settings.isEnabled),
                primary_identifier = \(settings.primary), notification_url = \(settings.notificationURL?.text),
                issuer = \(settings.issuer), version = a.version + 1
            WHERE a.team_id = \(change.team) AND a.identifier = \(draft.identifier)
            RETURNING \(Self.columns)
            """)
        try await change.record(
            "app_id.updated", .appID(draft.identifier), from: current.settings.typed, to: settings.typed)
        return .saved(try rows.only(AppID.init))
    }

    /// - Throws: `ValidationError` when an App ID cannot be created: its identifier is not free in the team, compared
    ///   without regard to case, or the team has reached its number of App IDs.
    public func requireFree(_ identifier: ClientID, _ change: borrowing Change) async throws {
        try await ClientIdentifierStore.requireFree(identifier, for: .app, change)
        try await Self.requireRoom(change)
    }

    private static func requireRoom(_ change: borrowing Change) async throws {
        guard try await Quota.appIDs.hasRoom(beside: "app_ids WHERE team_id = \(change.team)", change) else {
            throw ValidationError.limitReached(.appIDs, of: change.team.rawValue)
        }
    }

    static let columns: SQL = """
        a.identifier, a.description, a.is_enabled, a.primary_identifier, a.notification_url, a.issuer,
        a.version, a.created_at
        """

    /// Reads the App ID and locks its row until the transaction ends.
    static func lock(_ identifier: ClientID, _ change: borrowing Change) async throws(PostgresFailure) -> AppID? {
        let rows = try await change.query(
            """
            SELECT \(columns) FROM app_ids AS a
            WHERE a.team_id = \(change.team) AND a.identifier = \(identifier)
            FOR UPDATE
            """)
        return try rows.firstValue(AppID.init)
    }

    /// Locks `identifier` against deletion until the transaction ends.
    static func hold(_ identifier: ClientID, _ change: borrowing Change) async throws {
        let rows = try await change.query(
            """
            SELECT FROM app_ids WHERE team_id = \(change.team) AND identifier = \(identifier) FOR KEY SHARE
            """)
        guard !rows.isEmpty else { throw ValidationError.unknownAppID(identifier) }
    }

    /// Locks `identifier` as a primary App ID until the transaction ends.
    ///
    /// - Throws: `ValidationError` when it is not a primary App ID, or the team has no such App ID.
    static func holdPrimary(_ identifier: ClientID, _ change: borrowing Change) async throws {
        let rows = try await change.query(
            """
            SELECT primary_identifier FROM app_ids
            WHERE team_id = \(change.team) AND identifier = \(identifier)
            FOR SHARE
            """)
        guard var row = rows.first else { throw ValidationError.unknownAppID(identifier) }
        let primary: ClientID? = try row.next()
        if let primary { throw ValidationError.groupedAppID(identifier, under: primary) }
    }

    /// Requires that an App ID about to be grouped has no App IDs under it and no keys: only a primary App ID may.
    private static func requireNothingBelow(_ identifier: ClientID, _ change: borrowing Change) async throws {
        let rows = try await change.query(consequencesQuery(identifier, change.team))
        guard let below = try rows.firstValue(AppIDConsequences.init) else { return }
        guard below.groupedAppIDs.isEmpty else { throw ValidationError.primaryOfOthers(below.groupedAppIDs) }
        let keys = below.activeKeys + below.appleKeys
        guard keys.isEmpty else { throw ValidationError.holdsActiveKeys(keys) }
    }

    /// Objects that deleting `identifier` would affect, or nil when the team has no such App ID.
    public func consequences(of identifier: ClientID, in team: TeamID) async throws(PostgresFailure)
        -> AppIDConsequences?
    { try await database.query(Self.consequencesQuery(identifier, team), in: team).firstValue(AppIDConsequences.init) }

    /// Deletes the App ID with its Service IDs, keys and consents, and deletes the tokens of its clients.
    ///
    /// - Returns: the deleted and changed objects, or nil when the team has no such App ID.
    public func delete(_ identifier: ClientID, reason: String, _ change: borrowing Change) async throws
        -> AppIDConsequences?
    {
        // Locks and reads in two statements, because only the second sees commits made during the wait for the lock.
        guard let appID = try await Self.lock(identifier, change) else { return nil }
        let rows = try await change.query(Self.consequencesQuery(identifier, change.team))
        let consequences = try rows.only(AppIDConsequences.init)
        try await Self.releaseChildren(of: identifier, change)
        try await ClientIdentifierStore.release(consequences.serviceIDs + [identifier], change)
        try await change.record(
            "app_id.deleted", .appID(identifier),
            from: appID.settings.typed.merging(consequences.auditedMembers) { $1 }, to: .reason(reason))
        return consequences
    }

    static func consequencesQuery(_ identifier: ClientID, _ team: TeamID) -> SQL {
        """
        SELECT
            ARRAY(
                SELECT s.identifier FROM service_ids AS s
                WHERE s.team_id = a.team_id AND s.app_id = a.identifier ORDER BY s.rank
            ),
            ARRAY(
                SELECT k.key_id FROM keys AS k
                WHERE k.team_id = a.team_id AND k.app_id = a.identifier AND k.rank IS NOT NULL
                ORDER BY k.rank
            ),
            ARRAY(
                SELECT p.key_id FROM apple_keys AS p
                WHERE p.team_id = a.team_id AND p.app_id = a.identifier ORDER BY p.rank
            ),
            ARRAY(
                SELECT g.identifier FROM app_ids AS g
                WHERE g.team_id = a.team_id AND g.primary_identifier = a.identifier ORDER BY g.identifier
            ),
            (SELECT count(*) FROM (
                SELECT FROM consents AS c WHERE c.team_id = a.team_id AND c.app_id = a.identifier
                LIMIT \(AppIDConsequences.countLimit + 1)
            ) AS counted)
        FROM app_ids AS a
        WHERE a.team_id = \(team) AND a.identifier = \(identifier)
        """
    }

    private static func releaseChildren(of identifier: ClientID, _ change: borrowing Change)
        async throws(PostgresFailure)
    {
        try await change.query(
            """
            UPDATE app_ids SET primary_identifier = NULL, version = version + 1
            WHERE team_id = \(change.team) AND primary_identifier = \(identifier)
            """)
        for table: SQL in ["keys", "apple_connections", "apple_keys"] {
            try await change.query("DELETE FROM \(table) WHERE team_id = \(change.team) AND app_id = \(identifier)")
        }
    }

    /// One page in the order of identifiers, with the number of Service IDs and active keys of each.
    public func list(_ query: PageQuery = PageQuery(), in team: TeamID) async throws(PostgresFailure) -> Page<
        AppIDSummary
    > {
        let matching = try await query.condition(
            on: "a.identifier", among: "SELECT identifier, description FROM app_ids WHERE team_id = \(team)", in: team,
            database)
        let rows = try await database.query(Self.listing(query, matching, team), in: team)
        return try Page(rows, limit: query.limit, read: AppIDSummary.init) { ListCursor($0.appID.identifier.rawValue) }
    }

    /// Every App ID of the team, in the order of identifiers.
    public func all(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) -> [AppID] {
        let rows = try await transaction.query(
            """
            SELECT \(Self.columns) FROM app_ids AS a WHERE a.team_id = \(team) ORDER BY a.identifier
            """)
        return try rows.all(AppID.init)
    }

    /// Selects one page and the total, and counts for the whole page at once.
    ///
    /// Counting row by row took longer than all the rest. Each count is materialized and uses the index by the page's
    /// identifiers: a join would be planned for two App IDs, and count again for each row of a team with hundreds.
    private static func listing(_ query: PageQuery, _ matching: SQL, _ team: TeamID) -> SQL {
        let matching: SQL = "a.team_id = \(team) AND \(matching)"
        let after: SQL = if let after = query.after { "AND a.identifier > \(after.id)" } else { "" }
        return """
            WITH page AS MATERIALIZED (
                SELECT \(columns) FROM app_ids AS a
                WHERE \(matching) \(after)
                ORDER BY a.identifier
                LIMIT \(query.limit + 1)
            ), services AS MATERIALIZED (
                SELECT app_id, count(*) FROM service_ids
                WHERE team_id = \(team) AND app_id = ANY (ARRAY (SELECT identifier FROM page))
                GROUP BY app_id
            ), active AS MATERIALIZED (
                SELECT app_id, count(*) FROM keys
                WHERE team_id = \(team) AND rank IS NOT NULL AND app_id = ANY (ARRAY (SELECT identifier FROM page))
                GROUP BY app_id
            )
            SELECT total.count, page.identifier IS NOT NULL, coalesce(services.count, 0), coalesce(active.count, 0),
                page.*
            FROM (SELECT count(*) FROM app_ids AS a WHERE \(matching)) AS total
            LEFT JOIN page ON true
            LEFT JOIN services ON services.app_id = page.identifier
            LEFT JOIN active ON active.app_id = page.identifier
            ORDER BY page.identifier
            """
    }
}

/// An App ID as shown in a list, with the number of its Service IDs and active keys.
public struct AppIDSummary: Hashable, Sendable {
    public let appID: AppID
    public let serviceIDs: Int
    public let activeKeys: Int

    init(_ row: inout Row) throws(PostgresFailure) {
        serviceIDs = try row.next()
        activeKeys = try row.next()
        appID = try AppID(&row)
    }
}
