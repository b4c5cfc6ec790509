import Bytes
import Directory
import Domain
import Jobs
import Postgres

/// Says which tokens are to be validated, and keeps what came of it.
struct ProviderValidationStore: Sendable {
    /// By how much the clocks of two processes may differ.
    private static let tolerance = Duration.seconds(5)

    private let database: TeamDatabase

    init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Takes what is due, for a day, and enqueues its validation; of several tokens that one person has with one group the
    /// newest speaks for all.
    func enqueueDue(in team: TeamID, at now: Timestamp, limit: Int) async throws(PostgresFailure) {
        let payloads: SQL = "SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM newest"
        try await database.query(
            """
            WITH due AS (
                SELECT token_id FROM provider_tokens
                WHERE team_id = \(team) AND state = 'live' AND validate_at <= \(now)
                ORDER BY validate_at LIMIT \(limit) FOR UPDATE SKIP LOCKED
            ), claimed AS (
                UPDATE provider_tokens AS token
                SET validate_at = \(now + ProviderTokenStore.validationInterval)
                FROM due
                WHERE token.team_id = \(team) AND token.token_id = due.token_id
                RETURNING token.token_id, token.sub, token.app_id, token.created_at
            ), newest AS (
                SELECT token_id FROM claimed
                WHERE NOT EXISTS (
                    SELECT FROM provider_tokens AS other
                    WHERE other.team_id = \(team) AND other.sub = claimed.sub AND other.app_id = claimed.app_id
                        AND other.state = 'live'
                        AND \(Self.rank("other", at: now)) > \(Self.rank("claimed", at: now))
                )
            )
            \(ProviderValidation.insertion(in: team, for: payloads))
            """,
            in: team
        )
    }

    /// What stands against asking.
    enum Standing: Sendable {
        case mayAsk
        /// The provider was asked about the person within a day.
        case asked
        /// The person has come again since the token was given.
        case superseded
        /// There is no such person any more.
        case orphan
    }

    func standing(
        of token: ProviderToken,
        in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Standing {
        let rows = try await database.query(
            """
            SELECT EXISTS (SELECT FROM users WHERE team_id = \(team) AND sub = \(token.subject)),
                EXISTS (
                    SELECT FROM provider_tokens
                    WHERE team_id = \(team) AND sub = \(token.subject) AND app_id = \(token.group)
                        AND validated_at > \(now - ProviderTokenStore.validationInterval)
                ), \(Self.hasNewer(than: token, in: team, at: now))
            """,
            in: team
        )
        guard var row = rows.first else { return .orphan }
        let (exists, wasAsked): (Bool, Bool) = (try row.next(), try row.next())
        let hasNewer: Bool = try row.next()
        return !exists ? .orphan : wasAsked ? .asked : hasNewer ? .superseded : .mayAsk
    }

    /// What a token that is dead at the provider means by now.
    enum Death: Sendable {
        /// It was the last word about the person and the group.
        case ofAuthorization
        /// The person has come again since, or something else has ended the token meanwhile.
        case ofToken
    }

    /// Looks at a token that turned out to be dead; nobody else decides about its person until the transaction ends.
    func death(
        of token: ProviderToken,
        in team: TeamID,
        at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Death {
        try await transaction.query(UserStore.lock(token.subject, in: team))
        let rows = try await transaction.query(
            """
            SELECT FROM provider_tokens
            WHERE team_id = \(team) AND token_id = \(token.id) AND state = 'live'
                AND NOT \(Self.hasNewer(than: token, in: team, at: now))
            """
        )
        return rows.isEmpty ? .ofToken : .ofAuthorization
    }

    /// What a later token has more of.
    ///
    /// One that was given while a clock was ahead is not the last word until that time has come.
    private static func rank(_ table: SQL, at now: Timestamp) -> SQL {
        "(\(table).created_at <= \(now + tolerance), \(table).created_at, \(table).token_id)"
    }

    private static func hasNewer(than token: ProviderToken, in team: TeamID, at now: Timestamp) -> SQL {
        """
        EXISTS (
            SELECT FROM provider_tokens AS asked JOIN provider_tokens AS newer
                ON newer.team_id = asked.team_id AND newer.sub = asked.sub AND newer.app_id = asked.app_id
            WHERE asked.team_id = \(team) AND asked.token_id = \(token.id) AND newer.team_id = \(team)
                AND newer.state = 'live' AND \(rank("newer", at: now)) > \(rank("asked", at: now))
        )
        """
    }

    /// The token lives.
    func note(
        _ token: ProviderToken,
        at now: Timestamp,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query(
            """
            UPDATE provider_tokens
            SET validated_at = \(now), problem = NULL, problem_at = NULL,
                validate_at = greatest(validate_at, \(now + ProviderTokenStore.validationInterval))
            WHERE team_id = \(team) AND token_id = \(token.id) AND state = 'live'
            """
        )
    }

    /// Nobody can tell whether it lives, and it is the team's to change that.
    func note(
        _ problem: ProviderTokenProblem,
        of token: ProviderToken,
        at now: Timestamp,
        in team: TeamID
    ) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE provider_tokens
            SET problem = \(problem.rawValue),
                problem_at = CASE WHEN problem = \(problem.rawValue) THEN problem_at ELSE \(now) END
            WHERE team_id = \(team) AND token_id = \(token.id) AND state = 'live'
            """,
            in: team
        )
    }

    /// Puts the revocation of what a person left behind into the outbox.
    func endOrphan(_ token: ProviderToken, in team: TeamID) async throws(PostgresFailure) {
        let parts = ProviderTokenEnd.parts(of: token.subject, in: team)
        try await database.query("WITH \(parts) SELECT FROM provider_ended", in: team)
    }
}
