import Core
import Platform
import Postgres

/// Reads and writes the rows of the signing key rotation.
struct SigningKeyRotationStore: Sendable {
    let database: TeamDatabase

    /// The time at which the newest key begins to sign, or nil when there is no key.
    func newest(in team: TeamID) async throws(PostgresFailure) -> Timestamp? {
        let rows = try await database.query(
            "SELECT max(active_from) FROM signing_keys WHERE team_id = \(team)", in: team)
        guard var row = rows.first else { return nil }
        return try row.next()
    }

    /// Deletes keys retired before `moment`; returns whether there were any.
    func forget(retiredBefore moment: Timestamp, in team: TeamID) async throws(PostgresFailure) -> Bool {
        try await database.query(
            "DELETE FROM signing_keys WHERE team_id = \(team) AND retires_at < \(moment)", in: team
        ).changed > 0
    }

    /// Locks the team against concurrent rotations, and returns the time at which the newest key begins to sign.
    static func lock(_ team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) -> Timestamp {
        try await transaction.lock(team)
        let rows = try await transaction.query("SELECT max(active_from) FROM signing_keys WHERE team_id = \(team)")
        guard var row = rows.first else { return TokenRules.never }
        return try row.next(Timestamp?.self) ?? TokenRules.never
    }

    /// Sets the retirement of all earlier keys to `start`, when the new key begins to sign.
    static func retireOthers(than start: Timestamp, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        try await transaction.query(
            """
            UPDATE signing_keys SET retires_at = \(start)
            WHERE team_id = \(team) AND active_from < \(start) AND (retires_at IS NULL OR retires_at > \(start))
            """)
    }

    static func removeAll(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) {
        try await transaction.query("DELETE FROM signing_keys WHERE team_id = \(team)")
    }
}
