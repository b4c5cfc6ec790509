import Bytes
import Directory
import Domain
import Jobs
import Postgres

/// Keeps what a provider gave for a code whose sign-in was refused then: nobody else could ever give it back.
struct StrayTokenStore: Sendable {
    private let database: TeamDatabase
    private let tokens: ProviderTokenStore

    init(_ database: TeamDatabase, context: EngineContext) {
        self.database = database
        tokens = ProviderTokenStore(context: context)
    }

    /// Stores the token with the person whom the code was about, as one of theirs; nobody knows them, so it goes into the
    /// outbox at once.
    func keep(
        _ grant: ProviderGrant,
        from provider: ProviderID,
        for group: ClientID,
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) {
        guard let text = grant.refreshToken else { return }
        let token = ProviderTokenStore.New(
            text: text,
            provider: provider,
            subject: grant.identity.identifier,
            group: group,
            clientID: grant.clientID,
            at: moment
        )
        let person: SQL = """
            SELECT sub FROM provider_identities
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(grant.identity.identifier)
            """
        let stray: SQL = "token_id = \(token.id) AND state = 'live'"
        try await database.query(
            [
                tokens.insertion(of: token, in: team),
                """
                UPDATE provider_tokens SET sub = coalesce((\(person)), sub)
                WHERE team_id = \(team) AND token_id = \(token.id)
                """,
                """
                WITH \(ProviderTokenEnd.parts(ofThose: "\(stray) AND NOT EXISTS (\(person))", in: team)) SELECT
                """,
            ],
            in: team
        )
    }
}
