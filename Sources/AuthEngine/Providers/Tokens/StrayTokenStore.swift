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
        let stray = ProviderTokenStore.New(
            grant,
            from: provider,
            of: grant.identity.identifier,
            for: group,
            at: moment
        )
        guard let token = stray else { return }
        let person: SQL = """
            SELECT sub FROM provider_identities
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(grant.identity.identifier)
            """
        let alone: SQL = "token_id = \(token.id) AND state = 'live' AND NOT EXISTS (\(person))"
        try await database.query(
            [
                tokens.insertion(of: token, in: team),
                """
                UPDATE provider_tokens SET sub = coalesce((\(person)), sub)
                WHERE team_id = \(team) AND token_id = \(token.id)
                """,
                """
                WITH \(ProviderTokenEnd.parts(ofThose: alone, in: team)) SELECT
                """,
            ],
            in: team
        )
    }
}
