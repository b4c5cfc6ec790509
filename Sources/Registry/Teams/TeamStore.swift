public import Core
public import Platform
public import Postgres

/// Creates, reads and changes one team at a time, each isolated by row-level security.
public struct TeamStore: Sendable {
    /// Why a team was not created.
    public enum Failure: Error, Equatable, Sendable {
        /// The id belongs to a team, or belonged to one.
        case idTaken
        /// The owner is not a console account.
        case unknownOwner
    }

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Creates a team in the caller's transaction, which must be under that team's setting.
    ///
    /// - Parameter owner: a user of the system team; nil for a team that is administered only by `apply`.
    /// - Throws: `Failure`, `PostgresFailure`.
    public static func create(
        _ settings: TeamSettings, as id: TeamID, owner: Subject?, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws {
        let added = try await transaction.query(
            """
            INSERT INTO teams (team_id, name, mode, identity_sources, second_factor)
            VALUES (
                \(id), \(settings.name), \(settings.mode), \(settings.identitySources.map(\.rawValue)),
                \(settings.secondFactor)
            )
            ON CONFLICT (team_id) DO NOTHING
            """)
        guard added.changed == 1 else { throw Failure.idTaken }
        try await AuditEvent("team.created", by: actor, on: .team(id), from: origin, after: .object(settings.json))
            .record(in: id, transaction)
        guard let owner else { return }
        do {
            try await MembershipStore.add(owner, as: .owner, to: id, by: actor, from: origin, transaction)
        } catch MembershipStore.Failure.unknownAccount { throw Failure.unknownOwner }
    }

    /// Returns the team, or nil when there is none or it was deleted.
    public func find(_ id: TeamID) async throws(PostgresFailure) -> Team? {
        try await database.query(Self.selection(of: id), in: id).firstValue(Team.init)
    }

    private static func selection(of id: TeamID) -> SQL {
        "SELECT \(Team.columns) FROM teams t WHERE t.team_id = \(id) AND t.deleted_at IS NULL"
    }

    /// How long a deletion can be cancelled.
    public static let gracePeriod = Duration.seconds(7 * 86_400)

    /// Changes a team that still has the version the caller has read; the event has only members that differ.
    ///
    /// - Throws: `PostgresFailure`.
    public func update(
        _ id: TeamID, to configuration: TeamConfiguration, version: Int, by actor: Actor, from origin: Origin
    ) async throws -> Update<Team> {
        try await save(id, configuration.assignments, version: version) { team in
            let (before, after) = configuration.difference(from: team.configuration)
            return AuditEvent("team.updated", by: actor, on: .team(id), from: origin, before: before, after: after)
        }
    }

    /// Schedules the deletion of the team for the end of the grace period; until then nothing changes.
    ///
    /// Returns a conflict when the team is already closed.
    ///
    /// - Throws: `PostgresFailure`.
    public func requestDeletion(
        of id: TeamID, reason: String, version: Int, by actor: Actor, from origin: Origin, at now: Timestamp
    ) async throws -> Update<Team> {
        let due = now + Self.gracePeriod
        return try await save(id, "deletion_due_at = \(due)", version: version, whileOpen: true) { _ in
            let after: JSONValue = ["reason": .string(reason), "dueAt": .string(due.description)]
            return AuditEvent("team.deletion_requested", by: actor, on: .team(id), from: origin, after: after)
        }
    }

    /// Cancels a deletion; returns a conflict once the team is closed.
    ///
    /// - Throws: `PostgresFailure`.
    public func cancelDeletion(of id: TeamID, by actor: Actor, from origin: Origin) async throws -> Update<Team> {
        try await save(id, "deletion_due_at = NULL", version: nil, whileOpen: true) { _ in
            AuditEvent("team.deletion_cancelled", by: actor, on: .team(id), from: origin)
        }
    }

    /// Changes the row and records the event, unless the team was changed meanwhile.
    ///
    /// - Parameters:
    ///   - version: nil when the change does not depend on what the caller has read.
    ///   - whileOpen: whether a closed team is a conflict.
    private func save(
        _ id: TeamID, _ assignments: SQL, version: Int?, whileOpen: Bool = false, _ event: (Team) -> AuditEvent
    ) async throws -> Update<Team> {
        try await database.transaction(in: id) { transaction in
            let found = try await transaction.query("\(Self.selection(of: id)) FOR NO KEY UPDATE")
            guard let before = try found.firstValue(Team.init) else { return .notFound }
            guard version == nil || before.version == version, !whileOpen || before.closedAt == nil else {
                return .conflict(current: before)
            }
            let changed = try await transaction.query(
                """
                UPDATE teams t SET \(assignments), version = version + 1 WHERE t.team_id = \(id)
                RETURNING \(Team.columns)
                """)
            try await event(before).record(in: id, transaction)
            return .saved(try changed.only(Team.init))
        }
    }

    /// Statement that replaces a team's settings as a registry file has them.
    public static func update(_ team: TeamID, to settings: TeamSettings) -> SQL {
        """
        UPDATE teams
        SET name = \(settings.name), mode = \(settings.mode),
            identity_sources = \(settings.identitySources.map(\.rawValue)), second_factor = \(settings.secondFactor),
            version = version + 1
        WHERE team_id = \(team)
        """
    }
}

extension AuditEvent.Target {
    static func team(_ id: TeamID) -> AuditEvent.Target { AuditEvent.Target("team", id.rawValue) }
}
