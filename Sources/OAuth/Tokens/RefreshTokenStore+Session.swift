public import Core
public import Platform
public import Postgres

// Sessions of native apps, whose tokens are stored by statements of the module Federation.
extension RefreshTokenStore {
    /// The user, the app and the sign-in of a new session.
    public struct NewSession: Sendable {
        let subject: Subject
        let primaryAppID: ClientID
        let clientID: ClientID
        let authenticatedAt: Timestamp
        let provider: ProviderID

        public init(
            subject: Subject, primaryAppID: ClientID, clientID: ClientID, authenticatedAt: Timestamp,
            provider: ProviderID
        ) {
            self.subject = subject
            self.primaryAppID = primaryAppID
            self.clientID = clientID
            self.authenticatedAt = authenticatedAt
            self.provider = provider
        }
    }

    /// Statement that stores the refresh token of a session and yields the `sub`.
    ///
    /// - Parameter status: a query; nothing is stored when it yields no row.
    public static func insertion(
        of token: RefreshToken, for session: NewSession, in team: TeamID, at moment: Timestamp, while status: SQL
    ) -> SQL {
        """
        INSERT INTO refresh_tokens (
            team_id, token_id, secret_hash, sub, app_id, client_id, authenticated_at, provider, created_at, last_used_at
        )
        SELECT \(team), \(token.id), \(token.secretHash), \(session.subject), \(session.primaryAppID),
            \(session.clientID), \(session.authenticatedAt), \(session.provider), \(moment), \(moment)
        WHERE EXISTS (\(status))
        RETURNING sub
        """
    }

    /// Statement that replaces the token of a live session whose user is not suspended, and yields `authenticated_at`.
    ///
    /// - Parameter earlier: an SQL expression of the present token's id.
    public static func replacement(by token: RefreshToken, of earlier: SQL, in team: TeamID) -> SQL {
        """
        UPDATE refresh_tokens AS session SET token_id = \(token.id), secret_hash = \(token.secretHash)
        WHERE session.team_id = \(team) AND session.token_id = \(earlier) AND session.revoked_at IS NULL AND EXISTS (
            SELECT FROM users AS person
            WHERE person.team_id = \(team) AND person.sub = session.sub AND person.suspended_at IS NULL
        )
        RETURNING session.authenticated_at
        """
    }
}
