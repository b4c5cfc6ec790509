public import Core
public import Platform
public import Postgres

// Changing and deleting a team.
extension TeamStore {
    /// How long a deletion can be cancelled.
    public static let gracePeriod = Duration.seconds(7 * 86_400)

    /// Changes a team that still has the version the caller has read; the event has only members that differ.
    ///
    /// - Throws: `PostgresFailure`.
    public func update(
        _ id: TeamID, to configuration: TeamConfiguration, version: Int, by actor: Actor, from origin: Origin
    ) async throws -> Update {
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
    ) async throws -> Update {
        let due = now + Self.gracePeriod
        return try await save(id, "deletion_due_at = \(due)", version: version, whileOpen: true) { _ in
            let after: JSONValue = ["reason": .string(reason), "dueAt": .string(due.description)]
            return AuditEvent("team.deletion_requested", by: actor, on: .team(id), from: origin, after: after)
        }
    }

    /// Cancels a deletion; returns a conflict once the team is closed.
    ///
    /// - Throws: `PostgresFailure`.
    public func cancelDeletion(of id: TeamID, by actor: Actor, from origin: Origin) async throws -> Update {
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
                """)
            guard var row = changed.first else { return .notFound }
            try await event(before).record(in: id, transaction)
            return .updated(try Team(&row))
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
