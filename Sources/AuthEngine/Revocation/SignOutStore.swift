import Audit
import Bytes
import Directory
import Domain
import Postgres

/// Ends refresh tokens, and with them the access tokens beside them.
///
/// Where no session with the group is left, what a provider gave for it is revoked there too: Apple's revocation ends
/// the whole authorization, so it comes with the last session and not before.
struct SignOutStore: Sendable {
    let database: TeamDatabase

    /// Who ends whose sessions.
    struct End: Sendable {
        let client: AuthenticatedClient
        let subject: Subject
        let team: TeamID
        let origin: Origin
        let at: Timestamp
    }

    /// Ends one session.
    func one(_ token: RefreshToken, _ end: End) async throws(PostgresFailure) {
        let which: SQL = "AND token_id = \(token.id) AND \(RefreshTokenStore.matches(token.secretHash))"
        guard try await holds(end.standingTokens(which), end) else { return }
        try await database.query([end.lock, end.tokens("one", which)], in: end.team)
    }

    /// Ends all sessions.
    ///
    /// Codes before tokens: a redemption under way holds its code, and its token is seen once it is done.
    func all(_ end: End) async throws(PostgresFailure) {
        let waiting: SQL = "FROM authorization_codes WHERE \(end.condition) AND redeemed_at IS NULL"
        let standing: SQL = "\(end.standingTokens()) UNION ALL SELECT 1 \(waiting)"
        guard try await holds(standing, end) else { return }
        try await database.query([end.lock, "DELETE \(waiting)", end.tokens("all")], in: end.team)
    }

    /// Whether there is anything to end: whoever asks for it again and again keeps nobody else from the person.
    private func holds(_ standing: SQL, _ end: End) async throws(PostgresFailure) -> Bool {
        try await !database.query("\(standing) LIMIT 1", in: end.team).isEmpty
    }
}

extension SignOutStore.End {
    /// The sessions of that person with the client's group; a trial has its own alone.
    fileprivate var condition: SQL {
        """
        team_id = \(team) AND sub = \(subject) AND app_id = \(client.client.group)
            AND trial_id IS NOT DISTINCT FROM \(client.trial)
        """
    }

    /// Of two that end the last two sessions at once, the second sees what the first has left.
    fileprivate var lock: SQL { UserStore.lock(subject, in: team) }

    /// Yields a row for each session that is not over.
    fileprivate func standingTokens(_ which: SQL = "") -> SQL {
        "SELECT 1 FROM refresh_tokens WHERE \(condition) \(which) AND revoked_at IS NULL"
    }

    /// A code that waits for its redemption is a session that is about to begin.
    fileprivate func tokens(_ scope: String, _ which: SQL = "") -> SQL {
        """
        WITH ended AS (
            UPDATE refresh_tokens SET revoked_at = \(at)
            WHERE \(condition) \(which) AND revoked_at IS NULL
            RETURNING token_id
        ), audit AS (
            \(event(scope).insertion(in: team, when: "WHERE EXISTS (SELECT FROM ended)"))
        ), \(ProviderTokenEnd.parts(of: subject, for: client.client.group, in: team, when: last))
        SELECT FROM ended
        """
    }

    /// That a session ended, and that it was the last.
    private var last: SQL {
        """
        FROM ended
        WHERE \(client.trial == nil)
            AND NOT EXISTS (
                SELECT FROM refresh_tokens
                WHERE \(condition) AND revoked_at IS NULL AND token_id NOT IN (SELECT token_id FROM ended)
            )
            AND NOT EXISTS (
                SELECT FROM authorization_codes
                WHERE \(condition) AND redeemed_at IS NULL AND expires_at > \(at)
            )
        """
    }

    private func event(_ scope: String) -> AuditEvent {
        AuditEvent(
            "app_session.ended",
            by: .client(client.client.id),
            on: AuditEvent.Target("user", subject.rawValue),
            from: origin,
            after: ["appID": .string(client.client.group.rawValue), "scope": .string(scope)]
        )
    }
}
