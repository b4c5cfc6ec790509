import Audit
import Bytes
public import Directory
public import Domain
import Log
public import Postgres
import Tenancy

/// Sign-ins by way of a provider, from the app's request to the app's answer.
///
/// The order is the product: what the provider posts is stored before anything else; who it is about is stored before
/// its code is redeemed; only then the app gets a code of ours. A crash between any two of these loses nothing.
public struct ProviderSignIn: Sendable {
    let provider: any IdentityProvider
    let flow: SignInFlow
    let context: EngineContext
    let trips: ProviderTripStore
    private let linking: ProviderLinking
    let people: ProviderPersonStore
    let tokens: ProviderTokenStore
    let strays: StrayTokenStore

    public init(
        _ provider: any IdentityProvider,
        flow: SignInFlow,
        context: EngineContext,
        database: TeamDatabase
    ) {
        self.provider = provider
        self.flow = flow
        self.context = context
        trips = ProviderTripStore(database, context: context, patience: provider.patience)
        linking = ProviderLinking(provider, context: context, database: database)
        people = ProviderPersonStore(database)
        tokens = ProviderTokenStore(context: context)
        strays = StrayTokenStore(database, context: context)
    }

    /// How a trip ended, or where it stands.
    public enum Outcome: Sendable {
        /// The app has its answer.
        case answered(AuthorizationAnswer)
        /// The attempt goes on at its own address: proved, or left at the provider.
        case goOn(AttemptID)
        case failed(ProviderFailure, AttemptID)
        /// The trip was to connect an account, and no sign-in.
        case linking(ProviderLinking.Outcome)
        /// Another request is at work with the answer.
        case busy
        /// The trip is unknown or over, or one browser began it and another came back.
        case over
    }

    /// Stores a sign-in and begins its trip to the provider, in one transaction.
    ///
    /// - Returns: where the browser goes; nil when the app's group is not registered there, and nothing is stored.
    public func begin(
        _ attempt: Attempt,
        browserHash: [UInt8],
        in team: TeamSnapshot,
        from origin: Origin
    ) async throws(PostgresFailure) -> String? {
        let insertion = AttemptStore.insertion(of: attempt, browserHash: browserHash, in: team.id)
        return try await beginTrip(
            of: attempt,
            storing: [insertion],
            browserHash: browserHash,
            in: team,
            from: origin
        )
    }

    /// Begins a trip of a sign-in under way.
    ///
    /// - Returns: where the browser goes; nil when the app's group is not registered there.
    public func beginTrip(
        of attempt: Attempt,
        browserHash: [UInt8],
        in team: TeamSnapshot,
        from origin: Origin
    ) async throws(PostgresFailure) -> String? {
        try await beginTrip(of: attempt, storing: [], browserHash: browserHash, in: team, from: origin)
    }

    private func beginTrip(
        of attempt: Attempt,
        storing statements: [SQL],
        browserHash: [UInt8],
        in team: TeamSnapshot,
        from origin: Origin
    ) async throws(PostgresFailure) -> String? {
        guard let group = attempt.app?.group ?? team.groupOfAccounts(at: provider.id) else { return nil }
        let scope = attempt.app?.scope ?? AuthorizationRequest.Scope(name: true, email: true)
        let trip = trips.trips.begin(provider.id, for: group, scope, in: team.id)
        guard let url = provider.authorizationURL(of: trip, in: team) else { return nil }
        try await trips.begin(
            trip,
            to: provider.id,
            .signIn(attempt.id),
            isForApp: attempt.app != nil,
            browserHash: browserHash,
            with: statements,
            in: team.id,
            at: context.clock()
        )
        let step = FlowStep(.sentToProvider, at: context.clock(), from: origin, sent: Self.facts(ofURL: url))
        flow.flows.record(step, of: attempt, in: team.id)
        return url
    }

    /// Stores what a provider posted.
    ///
    /// The browser that brings it is not asked who it is: a post from another site has no cookie of ours.
    ///
    /// - Returns: what the address has to hold where that browser goes on, and whether anything was stored: what names no
    ///   trip, or one that has its answer, is not.
    /// - Throws: `OAuthError` when it has no `state` or is longer than any answer, `PostgresFailure` when nothing could be
    ///   stored.
    public func receive(
        _ parameters: ProtocolParameters,
        in team: TeamID
    ) async throws -> (back: ProviderReturn, isKept: Bool) {
        let back = ProviderReturn(
            state: try parameters.required("state"),
            receipt: ReturnReceipt(random: context.random)
        )
        let answer = ProviderAnswer(parameters)
        guard answer.octets <= ProviderAnswer.mostOctets else {
            throw OAuthError(.invalidRequest, cause: .parameterTooLong, because: "the answer is too long")
        }
        let isKept = try await trips.keep(answer, for: back, in: team, at: context.clock())
        return (back, isKept)
    }

    /// Goes on with what the provider posted, for the browser that began the trip and came back from it.
    ///
    /// - Parameters:
    ///   - session: the browser's, in which alone an account is connected that was to be.
    ///   - post: tells the person then.
    public func finish(
        _ back: ProviderReturn,
        browserHash: [UInt8],
        session: Session?,
        in team: TeamSnapshot,
        from origin: Origin,
        telling post: FactorPost
    ) async throws -> Outcome {
        let moment = context.clock()
        let claimed = try await trips.claim(
            back,
            of: provider.id,
            browserHash: browserHash,
            in: team.id,
            at: moment
        )
        guard let claimed else {
            let hash = browserHash
            return try await trips.isAtWork(back, browserHash: hash, in: team.id, at: moment) ? .busy : .over
        }
        let id: AttemptID
        switch claimed.purpose {
        case .signIn(let attempt): id = attempt
        case .link(let subject, let owner):
            let arrival = ProviderLinking.Arrival(
                claimed: claimed,
                isOwn: session?.user.subject == subject && session?.id == owner,
                link: (subject, owner),
                team: team,
                origin: origin
            )
            return .linking(try await linking.finish(arrival, telling: post))
        }
        guard let attempt = try await flow.find(id, browserHash: browserHash, in: team.id),
            team.admits(attempt)
        else {
            try await trips.release(claimed, in: team.id)
            return .over
        }
        let arrival = Arrival(
            claimed: claimed,
            attempt: attempt,
            browserHash: browserHash,
            team: team,
            origin: origin
        )
        do {
            return try await finish(arrival)
        } catch let failure as ProviderFailure {
            return try await fail(failure, arrival)
        } catch {
            await context.log.attempt("provider_answer.not_released", request: origin.requestID) {
                try await trips.release(claimed, in: team.id)
            }
            throw error
        }
    }
}

extension ProviderSignIn {
    /// An answer, with everything it meets here.
    struct Arrival: Sendable {
        let claimed: ProviderTripStore.Claimed
        let attempt: Attempt
        let browserHash: [UInt8]
        let team: TeamSnapshot
        let origin: Origin

        var trip: ProviderTrip { claimed.trip }
        var answer: ProviderAnswer { claimed.answer }
    }

    private func finish(_ arrival: Arrival) async throws -> Outcome {
        if let error = arrival.answer.error { return try await refused(error, arrival) }
        guard let code = arrival.answer.code else { throw Self.incomplete }
        let identity = try await provider.identify(
            arrival.answer,
            of: arrival.trip,
            in: arrival.team,
            at: arrival.claimed.answeredAt
        )
        let known = try await record(identity, arrival)
        guard known.user.suspendedAt == nil else {
            throw ProviderFailure(.personSuspended, .none, because: "the person is suspended")
        }
        let grant = try await strays.proved(
            try await provider.redeem(code, of: arrival.trip, in: arrival.team),
            about: identity.identifier,
            from: source(of: arrival)
        )
        guard grant.identity.identifier == identity.identifier else {
            try await strays.keep(grant, from: source(of: arrival))
            throw Self.otherPerson
        }
        return try await answer(arrival, known, grant)
    }

    /// Who came and what they said, durable before the code is redeemed.
    private func record(
        _ identity: ProviderIdentity,
        _ arrival: Arrival
    ) async throws -> ProviderPersonStore.Known {
        let (claimed, team) = (arrival.claimed, arrival.team.id)
        let person = ProviderPersonStore.Arrival(
            identity,
            from: provider.id,
            form: arrival.answer.user.flatMap(ProviderForm.init),
            group: arrival.attempt.app?.group,
            asking: arrival.trip.scope.scopes,
            origin: arrival.origin,
            at: context.clock(),
            provedBy: ProviderPartings.Proof(
                answeredAt: claimed.answeredAt,
                arrivedAt: claimed.arrivedAt,
                for: arrival.trip.group
            )
        )
        guard let known = try await people.record(person, in: team) else {
            let hasParted = try await people.hasParted(person, in: team)
            throw hasParted ? ProviderFailure.parted : .subjectTaken
        }
        let step = FlowStep(
            .proved,
            at: claimed.answeredAt,
            from: arrival.origin,
            sent: [FlowFact("proof", provider.id.rawValue)] + Self.facts(of: arrival.answer)
        )
        flow.flows.record(step, of: arrival.attempt, in: team, by: known.user.subject)
        return known
    }
}

extension TeamSnapshot {
    /// The group through which people come to pages of ours: any of those registered there, always the same.
    func groupOfAccounts(at provider: ProviderID) -> ClientID? {
        switch provider {
        case .apple:
            identitySources.contains(.apple) ? appleRegistrations.keys.min { $0.rawValue < $1.rawValue } : nil
        }
    }
}
