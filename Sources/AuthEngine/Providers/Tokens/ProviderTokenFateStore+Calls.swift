import Bytes
import Directory
import Domain
import Postgres

// Whether the provider is to be called.
extension ProviderTokenFateStore {
    /// What stands against a call.
    enum Beginning: Sendable {
        /// Nothing: that it is made is noted.
        case begun
        /// The token is settled already.
        case settled
        /// The person has come again to the same group, by the same account there, whoever they are here by now.
        case superseded
    }

    /// Decides whether the provider is to be asked to revoke a token, and notes that it is, before it is: what it tells of
    /// it may come before its answer.
    ///
    /// The people first, that of the token and whoever goes by its name there by now: a sign-in that ends at this moment is
    /// seen, or waits. In a team that is closed nobody signs in, and each token is called for.
    func begin(
        _ token: ProviderToken,
        at now: Timestamp,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Beginning {
        let resident = try await resident(of: token, in: team, transaction)
        try await transaction.query(UserStore.lock([token.subject, resident].compactMap(\.self), in: team))
        let newer = try await transaction.query(
            """
            SELECT FROM provider_tokens
            WHERE \(Self.sameAuthorization(token, in: team)) AND state = 'live'
                AND NOT EXISTS (SELECT FROM teams WHERE team_id = \(team) AND closed_at IS NOT NULL)
            LIMIT 1
            """
        )
        guard newer.isEmpty else { return .superseded }
        let noted = try await transaction.query(
            """
            UPDATE provider_tokens SET called_at = \(now)
            WHERE team_id = \(team) AND token_id = \(token.id) AND state IN ('ending', 'refused')
            """
        )
        return noted.changed == 1 ? .begun : .settled
    }

    /// Whom the account at the provider leads to by now; nil for nobody, and where its name is not known.
    private func resident(
        of token: ProviderToken,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Subject? {
        let rows = try await transaction.query(
            """
            SELECT sub FROM provider_identities
            WHERE team_id = \(team) AND provider = \(token.provider) AND identifier = \(token.identifier)
            """
        )
        guard var row = rows.first else { return nil }
        return try row.next()
    }

    /// The tokens of the same account there and the same group, which end together: an account that was disconnected, or
    /// whose person was deleted here, may have come back as somebody else's.
    private static func sameAuthorization(_ token: ProviderToken, in team: TeamID) -> SQL {
        """
        team_id = \(team) AND app_id = \(token.group) AND provider = \(token.provider)
            AND (identifier = \(token.identifier)
                OR sub = \(token.subject) AND (identifier IS NULL OR \(token.identifier) IS NULL))
        """
    }

    /// Notes that the provider has said that it did not do it: what it tells then is no echo of ours.
    func noteUncalled(_ token: ProviderToken, in team: TeamID) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE provider_tokens SET called_at = NULL
            WHERE team_id = \(team) AND token_id = \(token.id) AND state IN ('ending', 'refused')
            """,
            in: team
        )
    }

    /// Has those asked about soon that the person was given while an older one was revoked: the provider may have ended
    /// them with it.
    func questionNewer(
        than token: ProviderToken,
        at now: Timestamp,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query(
            """
            UPDATE provider_tokens SET validate_at = least(validate_at, \(now))
            WHERE \(Self.sameAuthorization(token, in: team)) AND state = 'live'
            """
        )
    }
}
