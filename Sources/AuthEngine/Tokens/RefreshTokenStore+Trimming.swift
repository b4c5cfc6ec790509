import Domain
import Log
import Postgres

// What one person may have of them.
extension RefreshTokenStore {
    /// Of tokens of one person in a team, of all its apps, live or not.
    static let mostOfPerson = 2000
    /// How many go at once.
    static let mostAtOnce = 1000

    /// Whether the person of a new token is looked at: one in 64 is, and nobody chooses which.
    static func isDue(_ id: [UInt8]) -> Bool {
        id.first.map { $0 & 63 == 0 } ?? false
    }

    /// Looks now and then, after a new token, whether its person has too many; a sign-in does not fail for want of it.
    func trim(
        after id: [UInt8],
        of subject: Subject,
        in team: TeamID,
        from origin: Origin,
        log: Log
    ) async {
        guard Self.isDue(id) else { return }
        await log.attempt("refresh_tokens.not_trimmed", request: origin.requestID) {
            try await trim(of: subject, in: team)
        }
    }

    /// Deletes what a person has beyond `mostOfPerson`: what was revoked first, then what was not used for longest.
    ///
    /// Of each group that one stays by which it is known to have had to do with the person (decision 19), a live one
    /// where there is one, by which whoever ends the person's access finds the group; the order is that of the purge.
    /// Of very many a part is read, whichever: what has so many before it there has them before it among all. Nobody is
    /// waited for, and what somebody holds stays until the next time. Each is looked up by its key, whatever is known
    /// of their number.
    ///
    /// - Returns: how many went.
    @discardableResult
    func trim(of subject: Subject, in team: TeamID) async throws(PostgresFailure) -> Int {
        try await database.queryRelaxed(
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
            """,
            in: team
        )
        .changed
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
                LIMIT \(mostOfPerson + mostAtOnce)
            ) AS part
        ) AS part
        WHERE place > \(mostOfPerson) AND (place_in_group > 1 OR trial_id IS NOT NULL)
        """
    }
}
