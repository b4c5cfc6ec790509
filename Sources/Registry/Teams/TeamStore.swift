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

    /// Creates the team of the change.
    ///
    /// - Parameter owner: a user of the system team; nil for a team that is administered only by `apply`.
    /// - Throws: `Failure`, `PostgresFailure`.
    public static func create(_ settings: TeamSettings, owner: Subject?, _ change: borrowing Change) async throws {
        let added = try await change.query(
            """
            INSERT INTO teams (team_id, \(TeamSettings.columns))
            VALUES (\(change.team), \(settings.values))
            ON CONFLICT (team_id) DO NOTHING
            """)
        guard added.changed == 1 else { throw Failure.idTaken }
        try await change.record("team.created", .team(change.team), to: settings.typed)
        guard let owner else { return }
        do { try await MembershipStore.add(owner, as: .owner, change) } catch MembershipStore.Failure.unknownAccount {
            throw Failure.unknownOwner
        }
    }

    /// Returns the team, or nil when there is none or it was deleted.
    public func find(_ id: TeamID) async throws(PostgresFailure) -> Team? {
        try await database.query(Team.selection(of: id), in: id).firstValue(Team.init)
    }

    /// The team of the change, unless there is none or it was deleted; its row is locked until the transaction ends.
    public static func lock(_ change: borrowing Change) async throws(PostgresFailure) -> Team? {
        try await change.query("\(Team.selection(of: change.team)) FOR NO KEY UPDATE").firstValue(Team.init)
    }

    /// How long a deletion can be cancelled.
    public static let gracePeriod = Duration.seconds(7 * 86_400)

    /// Changes a team that still has the version the caller has read; the event has only members that differ.
    ///
    /// - Throws: `PostgresFailure`.
    public func update(to settings: TeamSettings, version: Int, _ change: borrowing Change) async throws -> Update<Team>
    {
        try await save(Self.assignments(settings), version: version, change) { team in
            change.event("team.updated", on: .team(change.team), from: team.settings.typed, to: settings.typed)
        }
    }

    /// Schedules the deletion of the team for the end of the grace period; until then nothing changes.
    ///
    /// Returns a conflict when the team is already closed.
    ///
    /// - Throws: `PostgresFailure`.
    public func requestDeletion(reason: String, version: Int, at now: Timestamp, _ change: borrowing Change)
        async throws -> Update<Team>
    {
        let due = now + Self.gracePeriod
        return try await save("deletion_due_at = \(due)", version: version, whileOpen: true, change) { _ in
            let after: JSONValue = ["reason": .string(reason), "dueAt": .string(due.description)]
            return change.event("team.deletion_requested", on: .team(change.team), after: after)
        }
    }

    /// Cancels a deletion; returns a conflict once the team is closed.
    ///
    /// - Throws: `PostgresFailure`.
    public func cancelDeletion(_ change: borrowing Change) async throws -> Update<Team> {
        try await save("deletion_due_at = NULL", version: nil, whileOpen: true, change) { _ in
            change.event("team.deletion_cancelled", on: .team(change.team))
        }
    }

    /// Changes the row and records the event, unless the team was changed meanwhile.
    ///
    /// - Parameters:
    ///   - version: nil when the change does not depend on what the caller has read.
    ///   - whileOpen: whether a closed team is a conflict.
    private func save(
        _ assignments: SQL, version: Int?, whileOpen: Bool = false, _ change: borrowing Change,
        _ event: (Team) -> AuditEvent
    ) async throws -> Update<Team> {
        guard let before = try await Self.lock(change) else { return .notFound }
        guard version == nil || before.version == version, !whileOpen || before.closedAt == nil else {
            return .conflict(current: before)
        }
        let changed = try await change.query(
            """
            UPDATE teams t SET \(assignments), version = version + 1 WHERE t.team_id = \(change.team)
            RETURNING \(Team.columns)
            """)
        try await change.record(event(before))
        return .saved(try changed.only(Team.init))
    }

    private static func assignments(_ settings: TeamSettings) -> SQL {
        "(\(TeamSettings.columns)) = (\(settings.values))"
    }
}
