import Core
import Directory
public import Platform
import Postgres

/// Selects the tokens to be validated, and stores the results.
struct UpstreamValidationStore: Sendable {
    /// Maximum difference between the clocks of two processes.
    private static let tolerance = Duration.seconds(5)

    private let database: TeamDatabase

    init(_ database: TeamDatabase) { self.database = database }

    /// Enqueues the validation of due tokens, and makes them due again a day later.
    ///
    /// Of several tokens of one user and group only the newest is validated.
    func enqueueDue(in team: TeamID, at now: Timestamp, limit: Int) async throws(PostgresFailure) {
        let payloads: SQL = "SELECT jsonb_build_object('token', encode(token_id, 'hex')) FROM newest"
        try await database.query(
            """
            WITH due AS (
                SELECT token_id FROM upstream_tokens
                WHERE team_id = \(team) AND state = 'live' AND validate_at <= \(now)
                ORDER BY validate_at LIMIT \(limit) FOR UPDATE SKIP LOCKED
            ), claimed AS (
                UPDATE upstream_tokens AS token
                SET validate_at = \(now + UpstreamTokenStore.validationInterval)
                FROM due
                WHERE token.team_id = \(team) AND token.token_id = due.token_id
                RETURNING token.token_id, token.provider, token.sub, token.app_id, token.created_at
            ), newest AS (
                SELECT token_id FROM claimed
                WHERE NOT EXISTS (
                    SELECT FROM upstream_tokens AS other
                    WHERE other.team_id = \(team) AND other.sub = claimed.sub AND other.app_id = claimed.app_id
                        AND other.provider = claimed.provider AND other.state = 'live'
                        AND \(Self.rank("other", at: now)) > \(Self.rank("claimed", at: now))
                )
            )
            \(UpstreamValidation.insertion(in: team, for: payloads))
            """, in: team)
    }

    /// Decision whether the provider may be asked about a token.
    enum Status: Sendable {
        case mayAsk
        /// The provider was asked about the user and group within the last day.
        case asked
        /// The user has signed in again since the token was issued.
        case superseded
        /// The user no longer exists.
        case orphan
    }

    func status(of token: UpstreamToken, in team: TeamID, at now: Timestamp) async throws(PostgresFailure) -> Status {
        let rows = try await database.query(
            """
            SELECT EXISTS (SELECT FROM users WHERE team_id = \(team) AND sub = \(token.subject)),
                EXISTS (
                    SELECT FROM upstream_tokens
                    WHERE team_id = \(team) AND sub = \(token.subject) AND app_id = \(token.primaryAppID)
                        AND provider = \(token.provider) AND validated_at > \(now - UpstreamTokenStore.validationInterval)
                ), \(Self.hasNewer(than: token, in: team, at: now))
            """, in: team)
        guard var row = rows.first else { return .orphan }
        let (exists, wasAsked): (Bool, Bool) = (try row.next(), try row.next())
        let hasNewer: Bool = try row.next()
        return !exists ? .orphan : wasAsked ? .asked : hasNewer ? .superseded : .mayAsk
    }

    /// What ended with a token that is dead at the provider.
    enum Death: Sendable {
        /// The authorization: the token was the newest of the user and group.
        case ofAuthorization
        /// The token alone: the user has signed in again since, or something else has ended the token meanwhile.
        case ofToken
    }

    /// Decides what ended with a dead token, locking its user until the end of the transaction.
    func death(of token: UpstreamToken, in team: TeamID, at now: Timestamp, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Death
    {
        try await transaction.query(UserStore.lock(token.subject, in: team))
        let rows = try await transaction.query(
            """
            SELECT FROM upstream_tokens
            WHERE team_id = \(team) AND token_id = \(token.id) AND state = 'live'
                AND NOT \(Self.hasNewer(than: token, in: team, at: now))
            """)
        return rows.isEmpty ? .ofToken : .ofAuthorization
    }

    /// Query of the ID of the newest live token that a provider issued of a user and group.
    func newest(
        of subject: Subject, for primaryAppID: ClientID, from provider: ProviderID, in team: TeamID, at now: Timestamp
    ) -> SQL {
        """
        SELECT token_id FROM upstream_tokens
        WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID)
            AND provider = \(provider) AND state = 'live'
        ORDER BY \(Self.rank("upstream_tokens", at: now)) DESC LIMIT 1
        """
    }

    /// Sort key of a token, greater for newer ones.
    ///
    /// A token dated in the future, because a clock was ahead, ranks lowest until that time has come.
    private static func rank(_ table: SQL, at now: Timestamp) -> SQL {
        "(\(table).created_at <= \(now + tolerance), \(table).created_at, \(table).token_id)"
    }

    private static func hasNewer(than token: UpstreamToken, in team: TeamID, at now: Timestamp) -> SQL {
        """
        EXISTS (
            SELECT FROM upstream_tokens AS asked JOIN upstream_tokens AS newer
                ON newer.team_id = asked.team_id AND newer.sub = asked.sub AND newer.app_id = asked.app_id
                AND newer.provider = asked.provider
            WHERE asked.team_id = \(team) AND asked.token_id = \(token.id) AND newer.team_id = \(team)
                AND newer.state = 'live' AND \(rank("newer", at: now)) > \(rank("asked", at: now))
        )
        """
    }

    /// Stores that a token is live.
    func note(_ token: UpstreamToken, at now: Timestamp, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        try await transaction.query(
            """
            UPDATE upstream_tokens
            SET validated_at = \(now), problem = NULL, problem_at = NULL,
                validate_at = greatest(validate_at, \(now + UpstreamTokenStore.validationInterval))
            WHERE team_id = \(team) AND token_id = \(token.id) AND state = 'live'
            """)
    }

    /// Stores that a token cannot be validated because of a problem that the team must solve.
    func note(_ problem: UpstreamTokenProblem, of token: UpstreamToken, at now: Timestamp, in team: TeamID)
        async throws(PostgresFailure)
    {
        try await database.query(
            """
            UPDATE upstream_tokens
            SET problem = \(problem.rawValue),
                problem_at = CASE WHEN problem = \(problem.rawValue) THEN problem_at ELSE \(now) END
            WHERE team_id = \(team) AND token_id = \(token.id) AND state = 'live'
            """, in: team)
    }

    /// Enqueues the revocation of all tokens of a deleted user.
    func endOrphan(_ token: UpstreamToken, in team: TeamID) async throws(PostgresFailure) {
        let parts = UpstreamTokenEnd.parts(of: token.subject, in: team)
        try await database.query("WITH \(parts) SELECT FROM upstream_ended", in: team)
    }
}

/// Periodic task that enqueues due validations, and gives up tokens whose revocation has no job any more.
///
/// Each round takes a bounded number of tokens of each team.
public struct UpstreamValidationRound: Sendable {
    /// Time between two rounds.
    public static let interval = Duration.seconds(60)
    /// Maximum number of tokens per team in one round.
    private static let batch = 500

    private let teams: UpstreamWorkStore
    private let validations: UpstreamValidationStore
    private let revocations: UpstreamTokenRevocationStore
    private let clock: @Sendable () -> Timestamp

    public init(_ database: TeamDatabase, system: SystemDatabase, server: ServerContext, accounts: any UpstreamAccounts)
    {
        teams = UpstreamWorkStore(system)
        validations = UpstreamValidationStore(database)
        revocations = UpstreamTokenRevocationStore(database, server: server, accounts: accounts)
        clock = server.clock
    }

    /// Runs one round; may run in several processes, each of which takes tokens that the others have not.
    public func run() async throws {
        let now = clock()
        try await teams.forEachTeam(.validation(at: now)) { team in
            try await validations.enqueueDue(in: team, at: now, limit: Self.batch)
            return true
        }
        try await teams.forEachTeam(.revocation) { team in
            try await revocations.abandon(in: team, limit: Self.batch)
            return true
        }
    }
}

/// Job that asks a provider whether a user's authorization is still valid, which Apple allows once a day.
///
/// It is not urgent: after a few attempts it is left to the next day.
public struct UpstreamValidation: JobKind {
    public static let kind = "upstream.validation"

    public static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.attempts = 4
        policy.firstDelay = .seconds(600)
        policy.longestDelay = .seconds(2 * 3600)
        policy.timeout = .seconds(60)
        policy.keepsReceipt = .seconds(3600)
        return policy
    }

    /// The token's ID.
    let token: String
}
