import Audit
import Bytes
public import Directory
public import Domain
public import Postgres

/// Revokes refresh tokens that a team decides on, person by person; consents stay.
///
/// An app that comes with a revoked one has to send the person here again. What a provider gave for a group of apps is
/// handed back with the group's last session, as at a sign-out.
public struct TokenRevocationStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Revokes one live token of a person, and so the access tokens beside it.
    ///
    /// - Returns: whether there was such a token.
    public func revoke(
        _ id: RefreshTokenID,
        of subject: Subject,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin
    ) async throws(PostgresFailure) -> Bool {
        let event = AuditEvent(
            "token.revoked",
            by: actor,
            on: AuditEvent.Target("user", subject.rawValue),
            from: origin,
            after: ["token": .string(id.rawValue)]
        )
        let token: SQL = """
            WITH revoked AS (
                UPDATE refresh_tokens SET revoked_at = clock_timestamp()
                WHERE team_id = \(team) AND token_id = \(id.octets) AND sub = \(subject)
                    AND revoked_at IS NULL
                RETURNING token_id, app_id, trial_id
            ), audit AS (
                \(event.insertion(in: team, when: "FROM revoked"))
            ), \(ProviderTokenEnd.parts(ofThose: Self.last(of: subject, in: team), in: team))
            SELECT FROM revoked
            """
        return try await !database.query([UserStore.lock(subject, in: team), token], in: team).isEmpty
    }

    /// The live tokens of a provider for the group whose session was `revoked`, and has no other one, nor a code that
    /// becomes one.
    private static func last(of subject: Subject, in team: TeamID) -> SQL {
        """
        sub = \(subject) AND state = 'live'
            AND app_id IN (SELECT app_id FROM revoked WHERE trial_id IS NULL)
            AND NOT EXISTS (
                SELECT FROM refresh_tokens AS other
                WHERE other.team_id = \(team) AND other.sub = \(subject) AND other.app_id = provider_tokens.app_id
                    AND other.trial_id IS NULL AND other.revoked_at IS NULL
                    AND other.token_id NOT IN (SELECT token_id FROM revoked)
            )
            AND NOT EXISTS (
                SELECT FROM authorization_codes AS code
                WHERE code.team_id = \(team) AND code.sub = \(subject) AND code.app_id = provider_tokens.app_id
                    AND code.trial_id IS NULL AND code.redeemed_at IS NULL AND code.expires_at > clock_timestamp()
            )
        """
    }

    /// Revokes every live token of a person, with the codes that wait for their redemption, and hands back everything
    /// that providers gave for them.
    ///
    /// The person first: a code that is being issued waits for this, or is seen by it. Codes before tokens: a redemption
    /// under way holds its code, and its token is seen once it is done.
    ///
    /// - Returns: how many tokens there were.
    public func revokeAll(
        of subject: Subject,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin
    ) async throws(PostgresFailure) -> Int {
        let event = AuditEvent(
            "tokens.revoked",
            by: actor,
            on: AuditEvent.Target("user", subject.rawValue),
            from: origin
        )
        let codes: SQL = """
            DELETE FROM authorization_codes
            WHERE team_id = \(team) AND sub = \(subject) AND redeemed_at IS NULL
            """
        let tokens: SQL = """
            WITH revoked AS (
                UPDATE refresh_tokens SET revoked_at = clock_timestamp()
                WHERE team_id = \(team) AND sub = \(subject) AND revoked_at IS NULL
                RETURNING token_id
            ), audit AS (
                \(event.insertion(in: team, when: "WHERE EXISTS (SELECT FROM revoked)"))
            ), \(ProviderTokenEnd.parts(of: subject, in: team))
            SELECT count(*) FROM revoked
            """
        let rows = try await database.query([UserStore.lock(subject, in: team), codes, tokens], in: team)
        guard var row = rows.first else { return 0 }
        return try row.next()
    }
}
