import Audit
import Bytes
import Domain
import Postgres

/// Ends refresh tokens, and with them the access tokens beside them.
struct SignOutStore: Sendable {
    let database: TeamDatabase

    /// Who ends whose sessions.
    struct End: Sendable {
        let client: AuthenticatedClient
        let subject: Subject
        let team: TeamID
        let origin: Origin
        let at: Timestamp

        /// The sessions of that person with the client's group; a trial has its own alone.
        fileprivate var condition: SQL {
            """
            team_id = \(team) AND sub = \(subject) AND app_id = \(client.client.group)
                AND trial_id IS NOT DISTINCT FROM \(client.trial)
            """
        }

        fileprivate func event(_ scope: String) -> AuditEvent {
            AuditEvent(
                "app_session.ended",
                by: .client(client.client.id),
                on: AuditEvent.Target("user", subject.rawValue),
                from: origin,
                after: ["appID": .string(client.client.group.rawValue), "scope": .string(scope)]
            )
        }
    }

    /// Ends one session.
    func one(_ token: RefreshToken, _ end: End) async throws(PostgresFailure) {
        try await database.query(
            """
            WITH ended AS (
                UPDATE refresh_tokens SET revoked_at = \(end.at)
                WHERE \(end.condition) AND token_id = \(token.id) AND revoked_at IS NULL
                    AND \(RefreshTokenStore.matches(token.secretHash))
                RETURNING token_id
            )
            \(end.event("one").insertion(in: end.team, when: "FROM ended"))
            """,
            in: end.team
        )
    }

    /// Ends all sessions.
    ///
    /// Codes before tokens: a redemption under way holds its code, and its token is seen once it is done.
    func all(_ end: End) async throws(PostgresFailure) {
        let codes: SQL = "DELETE FROM authorization_codes WHERE \(end.condition) AND redeemed_at IS NULL"
        let tokens: SQL = """
            WITH ended AS (
                UPDATE refresh_tokens SET revoked_at = \(end.at)
                WHERE \(end.condition) AND revoked_at IS NULL
                RETURNING token_id
            )
            \(end.event("all").insertion(in: end.team, when: "WHERE EXISTS (SELECT FROM ended)"))
            """
        try await database.query([codes, tokens], in: end.team)
    }
}
