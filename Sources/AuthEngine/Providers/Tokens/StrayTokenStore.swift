import Bytes
import Directory
import Domain
import Jobs
import Postgres

/// Keeps what a provider gave for a code whose sign-in was refused then: nobody else could ever give it back.
struct StrayTokenStore: Sendable {
    /// Stands for whoever it is about where nobody can say.
    private static let nobody = Subject(hexadecimal: String(repeating: "0", count: 32))

    private let database: TeamDatabase
    private let tokens: ProviderTokenStore

    init(_ database: TeamDatabase, context: EngineContext) {
        self.database = database
        tokens = ProviderTokenStore(context: context)
    }

    /// Where and when a code was redeemed.
    struct Source: Sendable {
        let provider: ProviderID
        /// The group of apps whose registration there was used.
        let group: ClientID
        let team: TeamID
        let moment: Timestamp
        /// Whether it was for an app: without a consent to its group nobody could ever end it.
        let needsConsent: Bool
    }

    /// What a code has proved; where its answer proves nothing, the token in it is kept.
    ///
    /// - Parameter identifier: the provider's name for the person, where something else says it.
    /// - Throws: `ProviderFailure` where nothing is proved, `PostgresFailure`.
    func proved(
        _ redemption: ProviderRedemption,
        about identifier: Subject?,
        from source: Source
    ) async throws -> ProviderGrant {
        switch redemption {
        case .proved(let grant): return grant
        case .unproved(let token, let failure):
            try await keep(token, of: identifier ?? Self.nobody, from: source)
            throw failure
        }
    }

    /// Keeps what a spent code gave, to be given back some day.
    func keep(_ grant: ProviderGrant, from source: Source) async throws(PostgresFailure) {
        try await keep(grant.token, of: grant.identity.identifier, from: source)
    }

    /// Stores a token with the person whom the code was about, as one of theirs; where nobody knows them, or their consent
    /// is over, it goes into the outbox at once.
    ///
    /// The person first: whoever ends their consent at this moment is seen, or sees the token.
    ///
    /// - Parameter identifier: the provider's name for the person.
    private func keep(
        _ token: ProviderGrant.Token?,
        of identifier: Subject,
        from source: Source
    ) async throws(PostgresFailure) {
        let (provider, team) = (source.provider, source.team)
        let stray = ProviderTokenStore.New(
            token,
            from: provider,
            of: identifier,
            as: identifier == Self.nobody ? nil : identifier,
            for: source.group,
            at: source.moment
        )
        guard let token = stray else { return }
        let person: SQL = """
            SELECT sub FROM provider_identities
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identifier)
            """
        let consent: SQL =
            source.needsConsent
            ? "SELECT FROM consents WHERE team_id = \(team) AND sub = (\(person)) AND app_id = \(source.group)"
            : person
        let alone: SQL = "token_id = \(token.id) AND state = 'live' AND NOT EXISTS (\(consent))"
        try await database.query(
            [
                ProviderStanding.lock(whomever: provider, calls: identifier, in: team),
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
