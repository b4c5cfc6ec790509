public import Platform
public import Postgres

/// Deletes the sign-in traces of deleted users in batches, because one user may have caused a million events.
public enum UserTraceStore {
    /// Most traces examined and events deleted in one batch.
    static let (traces, steps) = (500, 5000)
    /// Batches in the transaction of the deletion, enough for most users.
    static let first = 4

    /// Deletes the first batches in the caller's transaction, and enqueues the deletion of the rest if there is any.
    public static func removeFirst(of subject: Subject, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        for _ in 0..<first where try await removePiece(of: subject, in: team, transaction) { return }
        // A returning user gets the same `sub`, so the job is limited to traces that began before the deletion.
        let payloads: SQL = """
            SELECT jsonb_build_object('person', \(subject), 'last', max(flow_id)) FROM flows
            WHERE team_id = \(team) AND sub = \(subject) HAVING max(flow_id) IS NOT NULL
            """
        try await transaction.query(UserTraceJob.insertion(in: team, for: payloads))
    }

    /// Deletes a batch of traces up to and including `last`, oldest first; true when none is left.
    static func removePiece(
        of subject: Subject, until last: String? = nil, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        let rows = try await transaction.query(
            """
            SELECT flow_id FROM flows
            WHERE team_id = \(team) AND sub = \(subject) AND (\(last) IS NULL OR flow_id <= \(last))
            ORDER BY flow_id LIMIT \(traces)
            """)
        let ids: [String] = try rows.column()
        guard !ids.isEmpty else { return true }
        let removed = try await transaction.query(
            """
            DELETE FROM flow_steps
            WHERE team_id = \(team) AND flow_id = ANY (\(ids)) AND (flow_id, at, kind) IN (
                SELECT flow_id, at, kind FROM flow_steps
                WHERE team_id = \(team) AND flow_id = ANY (\(ids)) LIMIT \(steps)
            )
            """)
        guard removed.changed < steps else { return false }
        try await transaction.query(
            """
            DELETE FROM flows WHERE team_id = \(team) AND flow_id = ANY (\(ids)) AND sub = \(subject)
            """)
        return ids.count < traces
    }
}
