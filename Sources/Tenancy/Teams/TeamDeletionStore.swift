import Audit
import Bytes
import Domain
import Postgres

/// Carries out what `TeamStore.requestDeletion` asked for.
struct TeamDeletionStore: Sendable {
    /// What was under way when a team went may still write; by then it has ended.
    static let settlingTime = Duration.seconds(60)

    private let database: TeamDatabase
    private let system: SystemDatabase

    init(_ database: TeamDatabase, _ system: SystemDatabase) {
        self.database = database
        self.system = system
    }

    /// The teams whose grace period is over.
    func dueTeams(at now: Timestamp) async throws(PostgresFailure) -> [TeamID] {
        try await teams("deleted_at IS NULL AND deletion_due_at <= \(now) AND NOT is_system")
    }

    /// The deleted teams of which something may be left.
    func teamsToEmpty(at now: Timestamp) async throws(PostgresFailure) -> [TeamID] {
        try await teams("deleted_at <= \(now - Self.settlingTime)")
    }

    /// Marks the team as deleted: every address of it answers from now on as if it had never been.
    ///
    /// Does nothing when an owner has taken the deletion back meanwhile.
    ///
    /// - Throws: `PostgresFailure`.
    func delete(_ id: TeamID, at now: Timestamp) async throws {
        try await database.transaction(in: id) { transaction in
            let deleted = try await transaction.query(
                """
                UPDATE teams t SET deleted_at = \(now), version = version + 1
                WHERE t.team_id = \(id) AND t.deleted_at IS NULL AND t.deletion_due_at <= \(now)
                RETURNING \(Team.columns)
                """
            )
            guard var row = deleted.first else { return }
            let team = try Team(&row)
            try await event("team.deleted", of: id, before: .object(team.settings.json))
                .record(in: id, transaction)
        }
    }

    /// Removes up to `batch` rows of a deleted team, and returns how many: none when nothing is left.
    func removeRows(of id: TeamID, batch: Int) async throws(PostgresFailure) -> Int {
        guard var row = try await database.query("SELECT pippin_empty_team(\(batch)::integer)", in: id).first
        else { return 0 }
        return try row.next()
    }

    /// Notes that nothing of a deleted team is left but its row and its audit log.
    func noteEmptied(_ id: TeamID, at now: Timestamp) async throws(PostgresFailure) {
        try await database.query(
            """
            WITH emptied AS (
                UPDATE teams SET emptied_at = \(now)
                WHERE team_id = \(id) AND deleted_at IS NOT NULL AND emptied_at IS NULL
                RETURNING team_id
            )
            \(event("team.emptied", of: id).insertion(in: id, when: "FROM emptied"))
            """,
            in: id
        )
    }

    private func event(_ action: String, of id: TeamID, before: JSONValue? = nil) -> AuditEvent {
        AuditEvent(action, by: .system("deletion"), on: .team(id), from: .local, before: before)
    }

    private func teams(_ condition: SQL) async throws(PostgresFailure) -> [TeamID] {
        let rows = try await system.query(
            """
            SELECT team_id FROM teams
            WHERE emptied_at IS NULL AND (deleted_at IS NOT NULL OR deletion_due_at IS NOT NULL) AND \(condition)
            ORDER BY team_id
            """
        )
        var teams: [TeamID] = []
        for var row in rows { teams.append(try row.next()) }
        return teams
    }
}
