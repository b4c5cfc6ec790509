import Audit
import Bytes
public import Directory
public import Domain
public import Postgres

/// Revokes refresh tokens that a team decides on, person by person; consents stay.
///
/// An app that comes with a revoked one has to send the person here again.
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
        let rows = try await database.query(
            """
            WITH revoked AS (
                UPDATE refresh_tokens SET revoked_at = clock_timestamp()
                WHERE team_id = \(team) AND token_id = \(id.octets) AND sub = \(subject)
                    AND revoked_at IS NULL
                RETURNING sub
            ), audit AS (
                \(event.insertion(in: team, when: "FROM revoked"))
            )
            SELECT sub FROM revoked
            """,
            in: team
        )
        return !rows.isEmpty
    }

    /// Revokes every live token of a person, with the codes that wait for their redemption.
    ///
    /// Codes before tokens: a redemption under way holds its code, and its token is seen once it is done.
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
            )
            SELECT count(*) FROM revoked
            """
        let rows = try await database.query([codes, tokens], in: team)
        guard var row = rows.first else { return 0 }
        return try row.next()
    }
}
