import Core
public import Platform
public import Postgres

/// The App IDs of each team.
///
/// Every change is one transaction with its audit event; variants with a `transaction` parameter run in the caller's
/// transaction. They throw `ValidationError` when the change breaks a registry rule, else `PostgresFailure`.
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

    public func create(_ draft: AppID.Draft, in team: TeamID, by actor: Actor, from origin: Origin) async throws
        -> AppID
    {
        try await database.transaction(in: team) { transaction in
            try await create(draft, in: team, by: actor, from: origin, transaction)
        }
    }

    /// Replaces the App ID of the draft's identifier, if its version is still `version`.
    public func update(to draft: AppID.Draft, version: Int, in team: TeamID, by actor: Actor, from origin: Origin)
        async throws -> Update<AppID>
    {
        try await database.transaction(in: team) { transaction in
            try await update(to: draft, version: version, in: team, by: actor, from: origin, transaction)
        }
    }

    public func create(
        _ draft: AppID.Draft, in team: TeamID, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> AppID {
        try await transaction.lock(team)
        try await ClientIdentifierStore.claim(draft.identifier, for: .app, in: team, transaction)
        try await Self.requireRoom(in: team, transaction)
        if let primary = draft.primary { try await Self.holdPrimary(primary, in: team, transaction) }
        let rows = try await transaction.query(
            """
            INSERT INTO app_ids AS a (
                team_id, identifier, description, is_enabled, primary_identifier, notification_url, issuer
            ) VALUES (
                \(team), \(draft.identifier), \(draft.description), \(draft.isEnabled), \(draft.primary),
                \(draft.notificationURL?.text), \(draft.issuer)
            )
            RETURNING \(Self.columns)
            """)
        let change = AuditedChange("app_id.created", "app_id", draft.identifier.rawValue, to: draft.auditedMembers)
        try await change.record(in: team, by: actor, from: origin, transaction)
        return try rows.only(AppID.init)
    }

    /// - Parameter version: the version the change is based on, or nil to replace any version.
    public func update(
        to draft: AppID.Draft, version: Int?, in team: TeamID, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> Update<AppID> {
        guard let current = try await Self.lock(draft.identifier, in: team, transaction) else { return .notFound }
        if let version, version != current.version { return .conflict(current: current) }
        if draft == current.draft { return .saved(current) }
        if let primary = draft.primary, primary != current.primary {
            try await Self.holdPrimary(primary, in: team, transaction)
            try await Self.requireNothingBelow(draft.identifier, in: team, transaction)
        }
        let rows = try await transaction.query(
            """
            UPDATE app_ids AS a
            SET description = \(draft.description), is_enabled = \(draft.isEnabled),
                primary_identifier = \(draft.primary), notification_url = \(draft.notificationURL?.text),
                issuer = \(draft.issuer), version = a.version + 1
            WHERE a.team_id = \(team) AND a.identifier = \(draft.identifier)
            RETURNING \(Self.columns)
            """)
        let change = AuditedChange(
            "app_id.updated", "app_id", draft.identifier.rawValue, from: current.draft.auditedMembers,
            to: draft.auditedMembers)
        try await change.record(in: team, by: actor, from: origin, transaction)
        return .saved(try rows.only(AppID.init))
    }
}

// Checks and locks used by the changes.
extension AppIDStore {
    /// - Throws: `ValidationError` when an App ID cannot be created: its identifier is not free in the team, compared
    ///   without regard to case, or the team has reached its number of App IDs.
    public func requireFree(_ identifier: ClientID, in team: TeamID, _ transaction: borrowing Transaction) async throws
    {
        try await ClientIdentifierStore.requireFree(identifier, for: .app, in: team, transaction)
        try await Self.requireRoom(in: team, transaction)
    }

    private static func requireRoom(in team: TeamID, _ transaction: borrowing Transaction) async throws {
        guard try await Quota.appIDs.hasRoom(beside: "app_ids WHERE team_id = \(team)", transaction) else {
            throw ValidationError.limitReached(.appIDs, of: team.rawValue)
        }
    }

    static let columns: SQL = """
        a.identifier, a.description, a.is_enabled, a.primary_identifier, a.notification_url, a.issuer,
        a.version, a.created_at
        """

    /// Reads the App ID and locks its row until the transaction ends.
    static func lock(_ identifier: ClientID, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> AppID?
    {
        let rows = try await transaction.query(
            """
            SELECT \(columns) FROM app_ids AS a
            WHERE a.team_id = \(team) AND a.identifier = \(identifier)
            FOR UPDATE
            """)
        return try rows.firstValue(AppID.init)
    }

    /// Locks `identifier` against deletion until the transaction ends.
    static func hold(_ identifier: ClientID, in team: TeamID, _ transaction: borrowing Transaction) async throws {
        let rows = try await transaction.query(
            """
            SELECT FROM app_ids WHERE team_id = \(team) AND identifier = \(identifier) FOR KEY SHARE
            """)
        guard !rows.isEmpty else { throw ValidationError.unknownAppID(identifier) }
    }

    /// Locks `identifier` as a primary App ID until the transaction ends.
    ///
    /// - Throws: `ValidationError` when it is not a primary App ID, or the team has no such App ID.
    static func holdPrimary(_ identifier: ClientID, in team: TeamID, _ transaction: borrowing Transaction) async throws
    {
        let rows = try await transaction.query(
            """
            SELECT primary_identifier FROM app_ids
            WHERE team_id = \(team) AND identifier = \(identifier)
            FOR SHARE
            """)
        guard var row = rows.first else { throw ValidationError.unknownAppID(identifier) }
        let primary: ClientID? = try row.next()
        if let primary { throw ValidationError.groupedAppID(identifier, under: primary) }
    }

    /// Requires that an App ID about to be grouped has no App IDs under it and no keys: only a primary App ID may.
    private static func requireNothingBelow(
        _ identifier: ClientID, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws {
        let rows = try await transaction.query(consequencesQuery(identifier, team))
        guard let below = try rows.firstValue(AppIDConsequences.init) else { return }
        guard below.groupedAppIDs.isEmpty else { throw ValidationError.primaryOfOthers(below.groupedAppIDs) }
        let keys = below.activeKeys + below.appleKeys
        guard keys.isEmpty else { throw ValidationError.holdsActiveKeys(keys) }
    }
}
