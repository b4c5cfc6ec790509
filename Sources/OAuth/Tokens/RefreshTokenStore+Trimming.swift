public import Core
public import Platform
import Postgres

// The limit of refresh tokens per user.
extension RefreshTokenStore {
    /// Most tokens deleted at once.
    static let mostAtOnce = 1000

    /// Whether to check the user of a new token: for one in 64, selected by the token's random id.
    static func isDue(_ id: [UInt8]) -> Bool { id.first.map { $0 & 63 == 0 } ?? false }

    /// After some of the new tokens, trims the tokens of their user; a failure does not fail the sign-in.
    public func trim(after id: [UInt8], of subject: Subject, in team: TeamID, from origin: Origin, log: Log) async {
        guard Self.isDue(id) else { return }
        await log.attempt("refresh_tokens.not_trimmed", request: origin.requestID) {
            try await trim(of: subject, in: team)
        }
    }

    /// Deletes a user's tokens beyond `Quota.refreshTokens`: revoked ones first, then the least recently used.
    ///
    /// One token of each group is kept as evidence that the user has used it (decision 19), a live one where there is
    /// one, by which the end of a user's access finds the group; the order is that of the purge. Of very many tokens
    /// an arbitrary part is read: a token in excess within the part is in excess among all. Locked rows are skipped
    /// until the next time, so nothing waits. Each token is looked up by its key, whatever the planner estimates.
    ///
    /// - Returns: the number of deleted tokens.
    @discardableResult func trim(of subject: Subject, in team: TeamID) async throws(PostgresFailure) -> Int {
        try await database.query(
            """
            WITH excess AS MATERIALIZED (
                \(Self.excess(of: subject, in: team))
            ), held AS MATERIALIZED (
                SELECT token_id FROM excess JOIN refresh_tokens USING (token_id)
                WHERE team_id = \(team)
                FOR UPDATE OF refresh_tokens SKIP LOCKED
            )
            DELETE FROM refresh_tokens AS token USING held
            WHERE token.team_id = \(team) AND token.token_id = held.token_id
            """, in: team, durability: .relaxed
        ).changed
    }

    private static func excess(of subject: Subject, in team: TeamID) -> SQL {
        """
        SELECT token_id FROM (
            SELECT token_id, trial_id,
                row_number() OVER (ORDER BY revoked_at IS NOT NULL, last_used_at DESC, token_id) AS place,
                row_number() OVER (
                    PARTITION BY app_id, trial_id IS NULL
                    ORDER BY revoked_at DESC NULLS FIRST,
                        CASE WHEN revoked_at IS NULL THEN last_used_at END DESC, token_id DESC
                ) AS place_in_group
            FROM (
                SELECT token_id, app_id, trial_id, last_used_at, revoked_at FROM refresh_tokens
                WHERE team_id = \(team) AND sub = \(subject)
                LIMIT \(Quota.refreshTokens.count + mostAtOnce)
            ) AS part
        ) AS part
        WHERE place > \(Quota.refreshTokens.count) AND (place_in_group > 1 OR trial_id IS NOT NULL)
        """
    }
}
