import Bytes
public import Directory
public import Domain
import Log
public import Postgres

/// Connecting an account at a provider to the account of somebody who is signed in, who proves both.
///
/// What the trip is for, for whom and in which session is stored here alone; the browser that comes back must have
/// that very session. Nothing but the provider's verified token says whose account it is: no address ever does.
public struct ProviderLinking: Sendable {
    private let provider: any IdentityProvider
    private let context: EngineContext
    private let trips: ProviderTripStore
    private let links: ProviderLinkStore
    private let tokens: ProviderTokenStore
    private let strays: StrayTokenStore

    public init(_ provider: any IdentityProvider, context: EngineContext, database: TeamDatabase) {
        self.provider = provider
        self.context = context
        trips = ProviderTripStore(database, context: context, patience: provider.patience)
        links = ProviderLinkStore(database)
        tokens = ProviderTokenStore(context: context)
        strays = StrayTokenStore(database, context: context)
    }

    /// How it ended.
    public enum Outcome: Sendable {
        case connected
        case refused(ProviderLinkStore.Obstacle)
        /// The person did not want to.
        case cancelled
        /// Another session has come back, or none.
        case foreign
        case failed(ProviderFailure)
    }

    /// Begins a trip to the provider.
    ///
    /// - Returns: where the browser goes; nil when people cannot come to pages of ours that way.
    public func begin(
        for session: Session,
        browserHash: [UInt8],
        in team: TeamSnapshot
    ) async throws(PostgresFailure) -> String? {
        guard let group = team.groupOfAccounts(at: provider.id) else { return nil }
        let scope = AuthorizationRequest.Scope(name: true, email: true)
        let trip = trips.trips.begin(provider.id, for: group, scope, in: team.id)
        guard let url = provider.authorizationURL(of: trip, in: team) else { return nil }
        try await trips.begin(
            trip,
            to: provider.id,
            .link(session.user.subject, session.id),
            isForApp: false,
            browserHash: browserHash,
            in: team.id,
            at: context.clock()
        )
        return url
    }
}

extension ProviderLinking {
    /// An answer, with whose it is to be.
    struct Arrival: Sendable {
        let claimed: ProviderTripStore.Claimed
        /// Whether it came with the session that began the trip.
        let isOwn: Bool
        let link: (subject: Subject, session: SessionID)
        let team: TeamSnapshot
        let origin: Origin

        var trip: ProviderTrip { claimed.trip }
        var answer: ProviderAnswer { claimed.answer }
    }

    /// Goes on with what the provider posted; whatever the end, the answer is used up, unless it may be tried again.
    func finish(_ arrival: Arrival, telling post: FactorPost) async throws -> Outcome {
        let outcome: Outcome
        do {
            outcome = try await settle(arrival, telling: post)
        } catch let failure as ProviderFailure {
            outcome = .failed(failure)
        } catch let obstacle as ProviderLinkStore.Obstacle {
            outcome = .refused(obstacle)
        } catch {
            await context.log.attempt("provider_answer.not_released", request: arrival.origin.requestID) {
                try await trips.release(arrival.claimed, in: arrival.team.id)
            }
            throw error
        }
        if case .failed(let failure) = outcome, failure.remedy == .again {
            try await trips.release(arrival.claimed, in: arrival.team.id)
        } else {
            try await trips.end(arrival.trip, in: arrival.team.id)
        }
        return outcome
    }

    /// Whose account it is first, then whether it may be connected; only then its code is redeemed.
    private func settle(_ arrival: Arrival, telling post: FactorPost) async throws -> Outcome {
        guard arrival.isOwn else { return .foreign }
        if let error = arrival.answer.error {
            if ProviderSignIn.isCancellation(error) { return .cancelled }
            throw ProviderSignIn.refusal(error)
        }
        guard let code = arrival.answer.code else { throw ProviderSignIn.incomplete }
        let identity = try await provider.identify(
            arrival.answer,
            of: arrival.trip,
            in: arrival.team,
            at: arrival.claimed.answeredAt
        )
        let link = link(identity, arrival)
        if let obstacle = try await links.obstacle(to: link, in: arrival.team.id) {
            return .refused(obstacle)
        }
        let grant = try await strays.proved(
            try await provider.redeem(code, of: arrival.trip, in: arrival.team),
            about: identity.identifier,
            from: source(of: arrival)
        )
        do {
            guard grant.identity.identifier == identity.identifier else { throw ProviderSignIn.otherPerson }
            try await links.connect(
                link,
                in: arrival.team.id,
                ending: ProviderTripStore.deletion(of: arrival.trip, in: arrival.team.id),
                with: token(grant, arrival).map { [$0] } ?? [],
                telling: post
            )
        } catch {
            // The code is spent: what it gave is to be given back some day, whatever became of the connection.
            try await strays.keep(grant, from: source(of: arrival))
            throw error
        }
        return .connected
    }

    private func link(_ identity: ProviderIdentity, _ arrival: Arrival) -> ProviderLinkStore.Link {
        ProviderLinkStore.Link(
            of: identity,
            at: provider.id,
            form: arrival.answer.user.flatMap(ProviderForm.init),
            to: arrival.link.subject,
            in: arrival.link.session,
            from: arrival.origin,
            at: context.clock()
        )
    }

    private func source(of arrival: Arrival) -> StrayTokenStore.Source {
        StrayTokenStore.Source(
            provider: provider.id,
            group: arrival.trip.group,
            team: arrival.team.id,
            moment: context.clock(),
            needsConsent: false
        )
    }

    private func token(_ grant: ProviderGrant, _ arrival: Arrival) -> SQL? {
        ProviderTokenStore.New(
            grant.token,
            from: provider.id,
            of: arrival.link.subject,
            as: grant.identity.identifier,
            for: arrival.trip.group,
            at: context.clock()
        )
        .map { tokens.insertion(of: $0, in: arrival.team.id) }
    }
}
