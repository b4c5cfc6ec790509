public import Core
public import Platform
import Postgres

/// Executes the deletions that `TeamStore.requestDeletion` schedules.
struct TeamDeletionStore: Sendable {
    /// Time after which requests that began before a team was closed or deleted have ended, and write no more.
    static let settlingTime = Duration.seconds(60)

    private static let actor = Actor.system("deletion")

    private let database: TeamDatabase
    private let system: SystemDatabase
    private let obligations: [any TeamObligations]

    init(_ database: TeamDatabase, _ system: SystemDatabase, obligations: [any TeamObligations] = []) {
        self.database = database
        self.system = system
        self.obligations = obligations
    }

    /// Returns the teams whose grace period is over and that are still open.
    func dueTeams(at now: Timestamp) async throws(PostgresFailure) -> [TeamID] {
        try await teams("closed_at IS NULL AND deletion_due_at <= \(now) AND NOT is_system")
    }

    /// Returns the closed teams that are not deleted yet.
    func closedTeams() async throws(PostgresFailure) -> [TeamID] {
        try await teams("closed_at IS NOT NULL AND deleted_at IS NULL")
    }

    /// Returns the deleted teams that may have rows left.
    func teamsToEmpty(at now: Timestamp) async throws(PostgresFailure) -> [TeamID] {
        try await teams("deleted_at <= \(now - Self.settlingTime)")
    }

    /// Closes the team: its addresses no longer respond to apps and users; its members can still see it in the console.
    ///
    /// Does nothing when an owner has cancelled the deletion meanwhile.
    ///
    /// - Throws: `PostgresFailure`.
    func close(_ id: TeamID, at now: Timestamp) async throws {
        try await change(id) { change in
            let closed = try await change.query(
                """
                UPDATE teams SET closed_at = \(now), version = version + 1
                WHERE team_id = \(id) AND closed_at IS NULL AND deletion_due_at <= \(now)
                """)
            guard closed.changed == 1 else { return }
            try await change.record("team.closed", .team(id))
            for obligation in obligations { try await obligation.begin(change) }
        }
    }

    /// Marks the team as deleted, so that it appears not to exist.
    ///
    /// Does nothing while it has obligations, or while requests that began before it was closed may still write.
    ///
    /// - Throws: `PostgresFailure`.
    func delete(_ id: TeamID, at now: Timestamp) async throws {
        try await change(id) { change in
            let closed = try await change.query(
                """
                SELECT \(Team.columns) FROM teams t
                WHERE t.team_id = \(id) AND t.deleted_at IS NULL AND t.closed_at <= \(now - Self.settlingTime)
                FOR NO KEY UPDATE
                """)
            guard let team = try closed.firstValue(Team.init) else { return }
            for obligation in obligations { guard try await obligation.conclude(change) else { return } }
            try await change.query("UPDATE teams SET deleted_at = \(now), version = version + 1 WHERE team_id = \(id)")
            try await change.record("team.deleted", .team(id), from: team.settings.typed)
        }
    }

    /// Deletes up to `batch` rows of a deleted team and returns their number: zero when none is left.
    func removeRows(of id: TeamID, batch: Int) async throws(PostgresFailure) -> Int {
        try await database.query("SELECT pippin_empty_team(\(batch)::integer)", in: id).firstValue() ?? 0
    }

    /// Records that only the row and the audit log of a deleted team are left.
    func noteEmptied(_ id: TeamID, at now: Timestamp) async throws(PostgresFailure) {
        let event = AuditEvent("team.emptied", by: Self.actor, on: .team(id), from: .local)
        try await database.query(
            """
            WITH emptied AS (
                UPDATE teams SET emptied_at = \(now)
                WHERE team_id = \(id) AND deleted_at IS NOT NULL AND emptied_at IS NULL
                RETURNING team_id
            )
            \(event.insertion(in: id, when: "FROM emptied"))
            """, in: id)
    }

    private func change(_ id: TeamID, _ body: (borrowing Change) async throws -> Void) async throws {
        try await database.change(in: id, by: Self.actor, from: .local, body)
    }

    private func teams(_ condition: SQL) async throws(PostgresFailure) -> [TeamID] {
        let rows = try await system.query(
            """
            SELECT team_id FROM teams
            WHERE emptied_at IS NULL AND (deleted_at IS NOT NULL OR deletion_due_at IS NOT NULL) AND \(condition)
            ORDER BY team_id
            """)
        return try rows.column()
    }
}

/// Deletes the teams whose grace period is over: closes them, meets their obligations, then deletes their rows.
public struct TeamDeletionRound: Sendable {
    /// Rows deleted per transaction, which is short enough not to delay others.
    private static let batch = 1000

    private let store: TeamDeletionStore
    private let obligations: [any TeamObligations]

    /// - Parameter obligations: must be met between the closing of a team and its deletion.
    public init(_ database: TeamDatabase, _ system: SystemDatabase, obligations: [any TeamObligations]) {
        store = TeamDeletionStore(database, system, obligations: obligations)
        self.obligations = obligations
    }

    /// Runs one round; it may end at any moment and be run again, in several processes, and continues where it was.
    ///
    /// - Throws: the first failure, after all teams were processed.
    public func run(at now: Timestamp = .now()) async throws {
        try await store.dueTeams(at: now).forEachTeam { try await store.close($0, at: now) }
        try await store.closedTeams().forEachTeam { try await settle($0, at: now) }
        try await store.teamsToEmpty(at: now).forEachTeam { try await empty($0, at: now) }
    }

    private func settle(_ team: TeamID, at now: Timestamp) async throws {
        for obligation in obligations {
            while try await obligation.continueDeletion(in: team, batch: Self.batch) > 0 {
                try Task.checkCancellation()
            }
        }
        try await store.delete(team, at: now)
    }

    private func empty(_ team: TeamID, at now: Timestamp) async throws {
        while try await store.removeRows(of: team, batch: Self.batch) > 0 { try Task.checkCancellation() }
        try await store.noteEmptied(team, at: now)
    }
}
