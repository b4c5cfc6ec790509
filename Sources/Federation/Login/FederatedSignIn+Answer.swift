import Directory
import OAuth
import Platform
import Postgres

// Completion of a sign-in after the provider's token has been verified.
extension FederatedSignIn {
    /// Answers the app, or stores the proof of a sign-in to the team's own pages, while the provider account is still
    /// linked.
    func answer(_ login: Login, _ known: FederatedIdentityStore.Known, _ grant: UpstreamGrant) async throws -> Outcome {
        guard let app = login.interaction.app, let consent = known.consent else {
            return try await prove(login, known.user, grant)
        }
        let status = status(of: known.user, grant, login)
        let answer = try await interactions.answer(
            login.interaction, for: known.user, under: consent, authenticatedAt: grant.identity.authenticatedAt,
            by: provider.id, browserHash: login.browserHash, in: login.team, from: login.origin,
            with: settlement(login, known.user, grant, status), while: status.row(in: login.team.id),
            completion: completion(login, known.user, app))
        if let answer { return .answered(answer) }
        try await orphans.keep(grant, from: source(of: login))
        let (id, hash) = (login.interaction.id, login.browserHash)
        guard try await interactions.find(id, browserHash: hash, in: login.team.id) == nil else {
            throw UpstreamFailure.parted
        }
        return .expired
    }

    /// Stores the proof of a sign-in to the team's own pages; the interaction turns it into a session, like any other
    /// proof.
    private func prove(_ login: Login, _ user: User, _ grant: UpstreamGrant) async throws -> Outcome {
        let status = status(of: user, grant, login)
        let team = login.team.id
        let statements = [status.lock(in: team)] + settlement(login, user, grant, status) + [status.row(in: team)]
        guard try await interactions.run(statements, in: team) else {
            try await orphans.keep(grant, from: source(of: login))
            throw UpstreamFailure.parted
        }
        let isKept = try await interactions.prove(
            user, by: ProofMethod(provider.id), login: "", owing: .nothing, in: login.interaction,
            browserHash: login.browserHash, of: team)
        return isKept ? .redirectToInteraction(login.interaction.id) : .expired
    }

    func source(of login: Login) -> OrphanedTokenStore.Source {
        OrphanedTokenStore.Source(
            provider: provider.id, primaryAppID: login.upstreamRequest.primaryAppID, team: login.team.id,
            moment: server.clock(), needsConsent: login.interaction.app != nil)
    }

    /// Condition for the final writes, including the consent to the app's group if there is an app.
    ///
    /// A consent that ends while the code is redeemed therefore ends the sign-in, too.
    private func status(of user: User, _ grant: UpstreamGrant, _ login: Login) -> FederatedLinkStatus {
        FederatedLinkStatus(
            of: user.subject, at: provider.id, as: grant.identity.identifier,
            consentingTo: login.interaction.app?.primaryAppID)
    }

    private func completion(_ login: Login, _ user: User, _ app: AuthorizationRequest) -> SQL {
        people.completion(
            of: user.subject, by: provider.id, to: app.clientID, in: login.team.id, from: login.origin,
            at: server.clock(), when: "FROM issued")
    }

    /// Statements written with the app's code once the user is locked: the provider's token, and the upstream request's
    /// end.
    private func settlement(_ login: Login, _ user: User, _ grant: UpstreamGrant, _ status: FederatedLinkStatus)
        -> [SQL]
    {
        let team = login.team.id
        let frame = [UpstreamRequestStore.deletion(of: login.upstreamRequest, in: team)]
        let token = UpstreamTokenStore.New(
            grant.token, from: provider.id, of: user.subject, as: grant.identity.identifier,
            for: login.upstreamRequest.primaryAppID, at: server.clock())
        guard let token else { return frame }
        let condition: SQL = "WHERE EXISTS (\(status.row(in: team)))"
        return frame + [tokens.insertion(of: token, in: team, when: condition)]
    }
}
