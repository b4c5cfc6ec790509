import Core
import Directory
import Platform
import Postgres

// Decision whether the provider is to be called.
extension UpstreamTokenRevocationStore {
    /// Result of preparing a call.
    enum Beginning: Sendable {
        /// The call is to be made, and has been recorded.
        case begun
        /// The token is already settled.
        case settled
        /// The same provider account has signed in to the same group again, possibly as another user of the team.
        case superseded
    }

    /// Decides whether the provider is asked to revoke a token, and records the call before it is made.
    ///
    /// The provider's notification of the revocation may arrive before its answer, hence the record. Locks the users
    /// first, that of the token and the one now linked to its provider account: a sign-in that ends at this moment is
    /// seen, or waits. A closed team has no sign-ins, so the provider is called for each of its tokens.
    func begin(_ token: UpstreamToken, at now: Timestamp, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Beginning
    {
        let linkedUser = try await linkedUser(of: token, in: team, transaction)
        try await transaction.query(UserStore.lock([token.subject, linkedUser].compactMap(\.self), in: team))
        let newer = try await transaction.query(
            """
            SELECT FROM provider_tokens
            WHERE \(Self.sameAuthorization(token, in: team)) AND state = 'live'
                AND NOT EXISTS (SELECT FROM teams WHERE team_id = \(team) AND closed_at IS NOT NULL)
            LIMIT 1
            """)
        guard newer.isEmpty else { return .superseded }
        let noted = try await transaction.query(
            """
            UPDATE provider_tokens SET called_at = \(now)
            WHERE team_id = \(team) AND token_id = \(token.id) AND state IN ('ending', 'refused')
            """)
        return noted.changed == 1 ? .begun : .settled
    }

    /// User now linked to the token's provider account; nil if there is none, or if the account's identifier is
    /// unknown.
    private func linkedUser(of token: UpstreamToken, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Subject?
    {
        let rows = try await transaction.query(
            """
            SELECT sub FROM provider_identities
            WHERE team_id = \(team) AND provider = \(token.provider) AND identifier = \(token.identifier)
            """)
        guard var row = rows.first else { return nil }
        return try row.next()
    }

    /// Condition for the tokens of the same provider account and group, which end together.
    ///
    /// An account that was unlinked, or whose user was deleted, may since have signed in as another user.
    private static func sameAuthorization(_ token: UpstreamToken, in team: TeamID) -> SQL {
        """
        team_id = \(team) AND app_id = \(token.primaryAppID) AND provider = \(token.provider)
            AND (identifier = \(token.identifier)
                OR sub = \(token.subject) AND (identifier IS NULL OR \(token.identifier) IS NULL))
        """
    }

    /// Records that the provider did not perform the revocation, so that a later notification is not taken for its
    /// echo.
    func noteUncalled(_ token: UpstreamToken, in team: TeamID) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE provider_tokens SET called_at = NULL
            WHERE team_id = \(team) AND token_id = \(token.id) AND state IN ('ending', 'refused')
            """, in: team)
    }

    /// Makes newer tokens due for validation after an older one was revoked, because the provider may have ended them,
    /// too.
    func questionNewer(
        than token: UpstreamToken, at now: Timestamp, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query(
            """
            UPDATE provider_tokens SET validate_at = least(validate_at, \(now))
            WHERE \(Self.sameAuthorization(token, in: team)) AND state = 'live'
            """)
    }
}
