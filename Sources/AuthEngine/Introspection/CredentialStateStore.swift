import Domain
import Postgres

/// Reads how a person and a group of apps stand, in one statement.
struct CredentialStateStore: Sendable {
    let database: TeamDatabase

    /// The state of one person.
    ///
    /// A consent that stands is `authorized`; one that ended has left tokens behind, by which it is known. Someone
    /// suspended may not sign in, which an app treats as it treats a revocation.
    func state(
        of subject: Subject,
        for group: ClientID,
        in team: TeamID
    ) async throws(PostgresFailure) -> CredentialState {
        let rows = try await database.query(
            """
            SELECT suspended_at IS NOT NULL,
                EXISTS (
                    SELECT FROM consents
                    WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group)
                ),
                EXISTS (
                    SELECT FROM refresh_tokens
                    WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group) AND trial_id IS NULL
                )
            FROM users
            WHERE team_id = \(team) AND sub = \(subject)
            """,
            in: team
        )
        guard var row = rows.first else { return .notFound }
        let isSuspended: Bool = try row.next()
        let hasConsent: Bool = try row.next()
        let hadTokens: Bool = try row.next()
        if hasConsent { return isSuspended ? .revoked : .authorized }
        return hadTokens ? .revoked : .notFound
    }
}
