import Domain
import Jobs
import Postgres

/// Removes what the inspector keeps of the sign-ins of people who are gone: in pieces, since one person may have made a
/// million steps.
enum PersonFlowStore {
    /// What one piece has at most: flows looked at, and steps removed.
    static let (flows, steps) = (500, 5000)
    /// Pieces that go in the transaction of the deletion, which is all there is of most people.
    static let first = 4

    /// Removes the first pieces, and enqueues the removal of the rest where there is more, in the caller's transaction.
    static func removeFirst(
        of subject: Subject,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        for _ in 0..<first where try await removePiece(of: subject, in: team, transaction) { return }
        // Who comes back keeps their name here, and what begins with that is theirs.
        let payloads: SQL = """
            SELECT jsonb_build_object('person', \(subject), 'last', max(flow_id)) FROM flows
            WHERE team_id = \(team) AND sub = \(subject) HAVING max(flow_id) IS NOT NULL
            """
        try await transaction.query(PersonFlowJob.insertion(in: team, for: payloads))
    }

    /// Removes a piece of what began until the flow `last`, the oldest first; true when nothing is left.
    static func removePiece(
        of subject: Subject,
        until last: String? = nil,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        let rows = try await transaction.query(
            """
            SELECT flow_id FROM flows
            WHERE team_id = \(team) AND sub = \(subject) AND (\(last) IS NULL OR flow_id <= \(last))
            ORDER BY flow_id LIMIT \(flows)
            """
        )
        let ids: [String] = try rows.column()
        guard !ids.isEmpty else { return true }
        let removed = try await transaction.query(
            """
            DELETE FROM flow_steps
            WHERE team_id = \(team) AND flow_id = ANY (\(ids)) AND (flow_id, at, kind) IN (
                SELECT flow_id, at, kind FROM flow_steps
                WHERE team_id = \(team) AND flow_id = ANY (\(ids)) LIMIT \(steps)
            )
            """
        )
        guard removed.changed < steps else { return false }
        try await transaction.query(
            """
            DELETE FROM flows WHERE team_id = \(team) AND flow_id = ANY (\(ids)) AND sub = \(subject)
            """
        )
        return ids.count < flows
    }
}
