import Audit
public import Bytes
public import Domain
import Postgres

// Changing a team, and taking leave of it.
extension TeamStore {
    /// How long a deletion can be taken back.
    public static let gracePeriod = Duration.seconds(7 * 86_400)

    /// Changes a team that still has the version its reader saw; what stays the same is not on record.
    ///
    /// - Throws: `PostgresFailure`.
    public func update(
        _ id: TeamID,
        to configuration: TeamConfiguration,
        version: Int,
        by actor: Actor,
        from origin: Origin
    ) async throws -> Update {
        try await save(id, configuration.assignments, version: version) { team in
            let (before, after) = configuration.difference(from: team.configuration)
            return AuditEvent(
                "team.updated",
                by: actor,
                on: .team(id),
                from: origin,
                before: before,
                after: after
            )
        }
    }

    /// Has the team deleted once the grace period is over; until then everything goes on.
    ///
    /// A conflict when that has begun already.
    ///
    /// - Throws: `PostgresFailure`.
    public func requestDeletion(
        of id: TeamID,
        reason: String,
        version: Int,
        by actor: Actor,
        from origin: Origin,
        at now: Timestamp
    ) async throws -> Update {
        let due = now + Self.gracePeriod
        return try await save(id, "deletion_due_at = \(due)", version: version, whileOpen: true) { _ in
            let after: JSONValue = ["reason": .string(reason), "dueAt": .string(due.description)]
            return AuditEvent(
                "team.deletion_requested",
                by: actor,
                on: .team(id),
                from: origin,
                after: after
            )
        }
    }

    /// Takes a deletion back; a conflict once the team is closed.
    ///
    /// - Throws: `PostgresFailure`.
    public func cancelDeletion(of id: TeamID, by actor: Actor, from origin: Origin) async throws -> Update {
        try await save(id, "deletion_due_at = NULL", version: nil, whileOpen: true) { _ in
            AuditEvent("team.deletion_cancelled", by: actor, on: .team(id), from: origin)
        }
    }

    /// Runs one change of the row together with its event, unless somebody was faster.
    ///
    /// - Parameters:
    ///   - version: nil where the change does not depend on what its reader saw.
    ///   - whileOpen: whether it comes too late for a closed team.
    private func save(
        _ id: TeamID,
        _ assignments: SQL,
        version: Int?,
        whileOpen: Bool = false,
        _ event: (Team) -> AuditEvent
    ) async throws -> Update {
        try await database.transaction(in: id) { transaction in
            let found = try await transaction.query("\(Self.selection(of: id)) FOR NO KEY UPDATE")
            guard var row = found.first else { return .notFound }
            let before = try Team(&row)
            guard version == nil || before.version == version, !whileOpen || before.closedAt == nil else {
                return .conflict(before)
            }
            let changed = try await transaction.query(
                """
                UPDATE teams t SET \(assignments), version = version + 1 WHERE t.team_id = \(id)
                RETURNING \(Team.columns)
                """
            )
            guard var row = changed.first else { return .notFound }
            try await event(before).record(in: id, transaction)
            return .updated(try Team(&row))
        }
    }
}
