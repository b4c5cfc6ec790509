import Core
import Platform
import Postgres

/// Stores tokens of codes whose sign-ins were refused after the redemption, so that they can be revoked.
struct OrphanedTokenStore: Sendable {
    /// Placeholder for an unknown user.
    private static let nobody = Subject(hexadecimal: String(repeating: "0", count: 32))

    private let database: TeamDatabase
    private let tokens: UpstreamTokenStore

    init(_ database: TeamDatabase, server: ServerContext) {
        self.database = database
        tokens = UpstreamTokenStore(server: server)
    }

    /// Origin of a token: where and when its code was redeemed.
    struct Source: Sendable {
        let provider: ProviderID
        /// The group whose registration at the provider was used.
        let primaryAppID: ClientID
        let team: TeamID
        let moment: Timestamp
        /// Whether the code was for an app: without a consent to its group, no later event would end the token.
        let needsConsent: Bool
    }

    /// Returns the grant of a redemption; if it is unproved, stores its token and throws the failure.
    ///
    /// - Parameter identifier: the provider's identifier of the user, if known from another source.
    /// - Throws: `UpstreamFailure` if nothing is proved, `PostgresFailure`.
    func proved(_ redemption: UpstreamRedemption, about identifier: Subject?, from source: Source) async throws
        -> UpstreamGrant
    {
        switch redemption {
        case .proved(let grant): return grant
        case .unproved(let token, let failure):
            try await keep(token, of: identifier ?? Self.nobody, from: source)
            throw failure
        }
    }

    /// Stores the token of a spent code, to be revoked eventually.
    func keep(_ grant: UpstreamGrant, from source: Source) async throws(PostgresFailure) {
        try await keep(grant.token, of: grant.identity.identifier, from: source)
    }

    /// Stores a token as one of the user that the code identified, or enqueues its revocation at once.
    ///
    /// The revocation is enqueued if the user is unknown or the consent has ended. The user is locked first, so that a
    /// consent that ends at this moment is seen, or its end sees the token.
    ///
    /// - Parameter identifier: the provider's identifier of the user.
    private func keep(_ token: UpstreamGrant.Token?, of identifier: Subject, from source: Source)
        async throws(PostgresFailure)
    {
        let (provider, team) = (source.provider, source.team)
        let orphan = UpstreamTokenStore.New(
            token, from: provider, of: identifier, as: identifier == Self.nobody ? nil : identifier,
            for: source.primaryAppID, at: source.moment)
        guard let token = orphan else { return }
        let person: SQL = """
            SELECT sub FROM upstream_identities
            WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identifier)
            """
        let consent: SQL =
            source.needsConsent
            ? "SELECT FROM consents WHERE team_id = \(team) AND sub = (\(person)) AND app_id = \(source.primaryAppID)"
            : person
        let alone: SQL = "token_id = \(token.id) AND state = 'live' AND NOT EXISTS (\(consent))"
        try await database.query(
            [
                UpstreamLinkStatus.lock(whomever: provider, calls: identifier, in: team),
                tokens.insertion(of: token, in: team),
                """
                UPDATE upstream_tokens SET sub = coalesce((\(person)), sub)
                WHERE team_id = \(team) AND token_id = \(token.id)
                """,
                """
                WITH \(UpstreamTokenEnd.parts(ofThose: alone, in: team)) SELECT
                """,
            ], in: team)
    }
}
