import Core
public import Platform
public import Postgres

/// The Service IDs of each team, with their domains and return URLs.
///
/// Every change is one transaction with its audit event; variants with a `transaction` parameter run in the caller's
/// transaction. They throw `ValidationError` when the change breaks a registry rule, else `PostgresFailure`.
public struct ServiceIDStore: Sendable {
    let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    public func find(_ identifier: ClientID, in team: TeamID) async throws(PostgresFailure) -> ServiceID? {
        try await database.query(Self.selection(identifier, team), in: team).firstValue(ServiceID.init)
    }

    public func create(_ draft: ServiceID.Draft, in team: TeamID, by actor: Actor, from origin: Origin) async throws
        -> ServiceID
    {
        try await database.transaction(in: team) { transaction in
            try await create(draft, in: team, by: actor, from: origin, transaction)
        }
    }

    /// Replaces the Service ID of the draft's identifier, if its version is still `version`.
    ///
    /// Domains and return URLs are replaced too; the App ID cannot change.
    public func update(to draft: ServiceID.Draft, version: Int, in team: TeamID, by actor: Actor, from origin: Origin)
        async throws -> Update<ServiceID>
    {
        try await database.transaction(in: team) { transaction in
            try await update(to: draft, version: version, in: team, by: actor, from: origin, transaction)
        }
    }

    /// Deletes the Service ID and the tokens issued to it.
    ///
    /// - Returns: the deleted Service ID, or nil when the team has no such Service ID.
    public func delete(_ identifier: ClientID, reason: String, in team: TeamID, by actor: Actor, from origin: Origin)
        async throws -> ServiceID?
    {
        try await database.transaction(in: team) { transaction in
            try await delete(identifier, reason: reason, in: team, by: actor, from: origin, transaction)
        }
    }
}

// Operations in the caller's transaction.
extension ServiceIDStore {
    /// - Throws: `ValidationError` when the identifier is not free in the team, compared without regard to case.
    public func requireFree(_ identifier: ClientID, in team: TeamID, _ transaction: borrowing Transaction) async throws
    { try await ClientIdentifierStore.requireFree(identifier, for: .service, in: team, transaction) }

    public func create(
        _ draft: ServiceID.Draft, in team: TeamID, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> ServiceID {
        try await transaction.lock(team)
        try await AppIDStore.hold(draft.appID, in: team, transaction)
        try await ClientIdentifierStore.claim(draft.identifier, for: .service, in: team, transaction)
        try await Self.requireRoom(for: draft, over: nil, in: team, transaction)
        try await Self.insert(draft, in: team, transaction)
        try await Self.write(draft, in: team, transaction)
        let change = AuditedChange(
            "service_id.created", "service_id", draft.identifier.rawValue, to: draft.auditedMembers)
        try await change.record(in: team, by: actor, from: origin, transaction)
        return try await transaction.query(Self.selection(draft.identifier, team)).only(ServiceID.init)
    }

    /// - Parameter version: the version the change is based on, or nil to replace any version.
    public func update(
        to draft: ServiceID.Draft, version: Int?, in team: TeamID, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> Update<ServiceID> {
        try await transaction.lock(team)
        guard let current = try await Self.lock(draft.identifier, in: team, transaction) else { return .notFound }
        if let version, version != current.version { return .conflict(current: current) }
        if draft == current.draft { return .saved(current) }
        guard draft.appID == current.appID else { throw ValidationError.belongsToAppID(current.appID) }
        try await Self.requireRoom(for: draft, over: current.draft, in: team, transaction)
        try await transaction.query(
            """
            UPDATE service_ids
            SET description = \(draft.description), issuer = \(draft.issuer), booleans = \(draft.booleans),
                requires_pkce = \(draft.requiresPKCE), version = version + 1
            WHERE team_id = \(team) AND identifier = \(draft.identifier)
            """)
        try await Self.write(draft, in: team, transaction)
        let change = AuditedChange(
            "service_id.updated", "service_id", draft.identifier.rawValue, from: current.draft.auditedMembers,
            to: draft.auditedMembers)
        try await change.record(in: team, by: actor, from: origin, transaction)
        let rows = try await transaction.query(Self.selection(draft.identifier, team))
        return .saved(try rows.only(ServiceID.init))
    }

    public func delete(
        _ identifier: ClientID, reason: String, in team: TeamID, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws -> ServiceID? {
        guard let current = try await Self.lock(identifier, in: team, transaction) else { return nil }
        try await ClientIdentifierStore.release([identifier], in: team, transaction)
        let change = AuditedChange(
            "service_id.deleted", "service_id", identifier.rawValue, from: current.draft.auditedMembers,
            to: AuditedChange.reason(reason))
        try await change.record(in: team, by: actor, from: origin, transaction)
        return current
    }
}
