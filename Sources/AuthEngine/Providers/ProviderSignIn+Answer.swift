import Directory
import Domain
import Postgres

// The end of a sign-in that the provider's token has proved.
extension ProviderSignIn {
    /// Answers the app, or keeps the proof for a page of ours, while the account at the provider still leads to the person.
    func answer(
        _ arrival: Arrival,
        _ known: ProviderPersonStore.Known,
        _ grant: ProviderGrant
    ) async throws -> Outcome {
        guard let app = arrival.attempt.app, let consent = known.consent else {
            return try await prove(arrival, known.user, grant)
        }
        let standing = standing(of: known.user, grant, arrival)
        let answer = try await flow.answer(
            SignInFlow.Decision(
                attempt: arrival.attempt,
                app: app,
                user: known.user,
                consent: consent,
                authenticatedAt: grant.identity.authenticatedAt,
                provider: provider.id,
                browserHash: arrival.browserHash,
                team: arrival.team,
                origin: arrival.origin
            ),
            with: settlement(arrival, known.user, grant, standing),
            while: standing.row(in: arrival.team.id),
            completion: completion(arrival, known.user, app)
        )
        if let answer { return .answered(answer) }
        try await strays.keep(grant, from: source(of: arrival))
        let (id, hash) = (arrival.attempt.id, arrival.browserHash)
        guard try await flow.find(id, browserHash: hash, in: arrival.team.id) == nil else {
            throw ProviderFailure.parted
        }
        return .over
    }

    /// A sign-in to a page of ours: the proof is kept, and becomes a session where every proof does.
    private func prove(_ arrival: Arrival, _ user: User, _ grant: ProviderGrant) async throws -> Outcome {
        let standing = standing(of: user, grant, arrival)
        let team = arrival.team.id
        let statements =
            [standing.lock(in: team)] + settlement(arrival, user, grant, standing) + [standing.row(in: team)]
        guard try await flow.run(statements, in: team) else {
            try await strays.keep(grant, from: source(of: arrival))
            throw ProviderFailure.parted
        }
        let isKept = try await flow.prove(
            user,
            by: ProofMethod(provider.id),
            login: "",
            owing: .nothing,
            in: arrival.attempt,
            browserHash: arrival.browserHash,
            of: team
        )
        return isKept ? .goOn(arrival.attempt.id) : .over
    }

    func source(of arrival: Arrival) -> StrayTokenStore.Source {
        StrayTokenStore.Source(
            provider: provider.id,
            group: arrival.trip.group,
            team: arrival.team.id,
            moment: context.clock(),
            needsConsent: arrival.attempt.app != nil
        )
    }

    /// What is written for an app depends on the consent to its group, too: whoever ends that while the code is redeemed has
    /// ended what the code gives.
    private func standing(
        of user: User,
        _ grant: ProviderGrant,
        _ arrival: Arrival
    ) -> ProviderStanding {
        ProviderStanding(
            of: user.subject,
            at: provider.id,
            as: grant.identity.identifier,
            consentingTo: arrival.attempt.app?.group
        )
    }

    private func completion(_ arrival: Arrival, _ user: User, _ app: AppRequest) -> SQL {
        people.completion(
            of: user.subject,
            by: provider.id,
            to: app.clientID,
            in: arrival.team.id,
            from: arrival.origin,
            at: context.clock(),
            when: "FROM issued"
        )
    }

    /// What is written with the app's code once the person is locked: the provider's token, and the end of the trip.
    private func settlement(
        _ arrival: Arrival,
        _ user: User,
        _ grant: ProviderGrant,
        _ standing: ProviderStanding
    ) -> [SQL] {
        let team = arrival.team.id
        let frame = [ProviderTripStore.deletion(of: arrival.trip, in: team)]
        let token = ProviderTokenStore.New(
            grant.token,
            from: provider.id,
            of: user.subject,
            as: grant.identity.identifier,
            for: arrival.trip.group,
            at: context.clock()
        )
        guard let token else { return frame }
        let condition: SQL = "WHERE EXISTS (\(standing.row(in: team)))"
        return frame + [tokens.insertion(of: token, in: team, when: condition)]
    }
}
