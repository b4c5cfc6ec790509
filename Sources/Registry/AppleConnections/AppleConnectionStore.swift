public import Domain
public import Postgres

/// How each team's groups of apps are registered at Apple.
///
/// Every change is one transaction with its audit event. They throw `Refusal` when a rule of the team stands against the
/// change, else `PostgresFailure`.
public struct AppleConnectionStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// The connection of a primary App ID, or nil when it has none.
    public func find(
        of appID: ClientID,
        in team: TeamID
    ) async throws(PostgresFailure) -> AppleConnection? {
        try await database.query(Self.selection(appID, team), in: team).firstValue(AppleConnection.init)
    }

    /// All of the team's, in the order of App IDs; at most one for each.
    public func list(in team: TeamID) async throws(PostgresFailure) -> [AppleConnection] {
        try await database.query(Self.listing(team), in: team).all(AppleConnection.init)
    }

    /// Whether the team has any.
    public func hasAny(in team: TeamID) async throws(PostgresFailure) -> Bool {
        let rows = try await database.query(
            "SELECT EXISTS (SELECT FROM apple_connections WHERE team_id = \(team))",
            in: team
        )
        return try rows.only { (row: inout Row) throws(PostgresFailure) in try row.next() }
    }
}

// As part of the caller's transaction.
extension AppleConnectionStore {
    public func list(
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> [AppleConnection] {
        try await transaction.query(Self.listing(team)).all(AppleConnection.init)
    }

    /// Connects the App ID, or changes how it is connected.
    ///
    /// - Parameter version: what the change was made from.
    public func save(
        _ draft: AppleConnection.Draft,
        over version: Version,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> Update<AppleConnection> {
        try await AppIDStore.holdPrimary(draft.appID, in: team, transaction)
        try await Self.requireKey(draft, in: team, transaction)
        let current = try await transaction.query("\(Self.selection(draft.appID, team)) FOR UPDATE OF c")
            .firstValue(AppleConnection.init)
        switch (version, current) {
        case (.exactly(let number), let current?) where number != current.version:
            return .conflict(current: current)
        case (.exactly, nil): return .notFound
        case (.none, let current?): return .conflict(current: current)
        default: break
        }
        if let current, current.draft == draft { return .saved(current) }
        if draft.servicesID != current?.servicesID {
            try await Self.requireFree(draft.servicesID, for: draft.appID, in: team, transaction)
        }
        try await transaction.query(Self.saving(draft, team))
        let change = AuditedChange(
            current == nil ? "apple_connection.created" : "apple_connection.updated",
            "apple_connection",
            draft.appID.rawValue,
            from: current?.draft.auditedMembers ?? [:],
            to: draft.auditedMembers
        )
        try await change.record(in: team, by: actor, from: origin, transaction)
        return .saved(
            try await transaction.query(Self.selection(draft.appID, team)).only(AppleConnection.init)
        )
    }

    /// Which state of a connection a change was made from.
    public enum Version: Hashable, Sendable {
        /// There was none.
        case none
        case exactly(Int)
        /// Whatever there is.
        case any
    }

    /// Takes a connection away: nobody signs in at Apple through that group of apps any more.
    ///
    /// - Returns: what was deleted, or nil when there was none.
    public func delete(
        of appID: ClientID,
        reason: String,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> AppleConnection? {
        let found = try await transaction.query("\(Self.selection(appID, team)) FOR UPDATE OF c")
            .firstValue(AppleConnection.init)
        guard let found else { return nil }
        try await transaction.query(
            "DELETE FROM apple_connections WHERE team_id = \(team) AND app_id = \(appID)"
        )
        let change = AuditedChange(
            "apple_connection.deleted",
            "apple_connection",
            appID.rawValue,
            from: found.draft.auditedMembers,
            to: AuditedChange.reason(reason)
        )
        try await change.record(in: team, by: actor, from: origin, transaction)
        return found
    }

    /// - Throws: `Refusal`, while a connection signs with that key.
    static func requireUnused(
        _ key: KeyID,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        let rows = try await transaction.query(
            "SELECT app_id FROM apple_connections WHERE team_id = \(team) AND key_id = \(key) LIMIT 1"
        )
        guard var row = rows.first else { return }
        throw Refusal.keyOfConnection(try row.next())
    }
}

// The statements behind them.
extension AppleConnectionStore {
    private static let columns: SQL = """
        c.app_id, c.services_id, c.key_id, k.apple_team_id, c.version, c.created_at
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
        INSERT INTO apple_connections AS c (team_id, app_id, services_id, key_id)
        VALUES (\(team), \(draft.appID), \(draft.servicesID), \(draft.keyID))
        ON CONFLICT (team_id, app_id) DO UPDATE
        SET services_id = excluded.services_id, key_id = excluded.key_id, version = c.version + 1,
            shares_services_id = c.shares_services_id AND c.services_id = excluded.services_id
        """
    }

    /// Apple knows one group of apps under a Services ID, and never gives it the name of a bundle ID.
    ///
    /// Connections change one at a time in a team, so that two cannot take the same one at once.
    private static func requireFree(
        _ servicesID: ClientID,
        for appID: ClientID,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        try await transaction.query("SELECT FROM teams WHERE team_id = \(team) FOR NO KEY UPDATE")
        let rows = try await transaction.query(
            """
            SELECT app_id FROM apple_connections
            WHERE team_id = \(team) AND services_id = \(servicesID) AND app_id <> \(appID)
            ORDER BY app_id LIMIT 1
            """
        )
        if var row = rows.first { throw Refusal.servicesIDTaken(servicesID, by: try row.next()) }
        let apps = try await transaction.query(
            """
            SELECT identifier FROM app_ids
            WHERE team_id = \(team) AND lower(identifier) = lower(\(servicesID)) LIMIT 1
            """
        )
        if var row = apps.first { throw Refusal.bundleIDAsServiceID(try row.next()) }
    }

    /// - Throws: `Refusal`, when a connection's Services ID has that name, in whatever case.
    static func requireNone(
        as servicesID: ClientID,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        let rows = try await transaction.query(
            """
            SELECT services_id FROM apple_connections
            WHERE team_id = \(team) AND lower(services_id) = lower(\(servicesID)) LIMIT 1
            """
        )
        if var row = rows.first { throw Refusal.servicesIDAsBundleID(try row.next()) }
    }

    /// Keeps the key until the transaction ends; it must be one of the same App ID.
    private static func requireKey(
        _ draft: AppleConnection.Draft,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        let rows = try await transaction.query(
            """
            SELECT app_id FROM apple_keys WHERE team_id = \(team) AND key_id = \(draft.keyID) FOR KEY SHARE
            """
        )
        guard var row = rows.first else { throw Refusal.unknownAppleKey(draft.keyID) }
        let owner: ClientID = try row.next()
        guard owner == draft.appID else { throw Refusal.appleKeyOfOtherApp(draft.keyID, of: owner) }
    }
}
