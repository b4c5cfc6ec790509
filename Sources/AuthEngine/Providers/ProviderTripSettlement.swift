import Bytes
import Directory
public import Domain
import Postgres

/// Keeps who came, and the name that comes once, where the browser that was sent to the provider never came back.
///
/// What the provider posted says who it was about; its code stays unspent. The trip itself stays for its time, since the
/// browser may still come. Anybody may post anything to a trip they have begun: what cannot be judged yet waits longer each
/// time.
public struct ProviderTripSettlement: Sendable {
    /// From one round to the next.
    public static let interval = Duration.seconds(60)
    /// How long a browser that was sent on may take to come.
    static let patience = Duration.seconds(120)
    /// Answers of one round.
    private static let batch = 2000
    /// Answers of a team before it is the next one's turn.
    private static let turn = 20

    private let provider: any IdentityProvider
    private let teamsWithWork: ProviderTeamStore
    private let teams: TeamCache
    private let trips: ProviderTripStore
    private let people: ProviderPersonStore
    private let clock: @Sendable () -> Timestamp

    public init(
        _ provider: any IdentityProvider,
        context: EngineContext,
        database: TeamDatabase,
        system: SystemDatabase,
        teams: TeamCache
    ) {
        self.provider = provider
        teamsWithWork = ProviderTeamStore(system)
        self.teams = teams
        trips = ProviderTripStore(database, context: context, patience: provider.patience)
        people = ProviderPersonStore(database)
        clock = context.clock
    }

    /// May run in several processes: each takes what the others have not.
    ///
    /// Every team has its turn before one has another, so that no team's answers keep another's waiting.
    public func run() async throws {
        let now = clock()
        let due = ProviderTripStore.Due(answeredBefore: now - Self.patience, now: now)
        var (left, trouble): (Int, (any Error)?) = (Self.batch, nil)
        var (before, isProviderAway) = (left, false)
        repeat {
            before = left
            try await teamsWithWork.walk(.settlement(due)) { team in
                let turn = try await settleSome(of: team, due, limit: min(left, Self.turn))
                left -= turn.count
                trouble = trouble ?? turn.trouble
                isProviderAway = turn.isProviderAway
                return left > 0 && !isProviderAway
            }
        } while left > 0 && left < before && !isProviderAway
        if let trouble { throw trouble }
    }

    /// What became of a team's turn.
    private struct Turn {
        var count = 0
        /// Something of ours; what it happened to is looked at again later.
        var trouble: (any Error)?
        /// Then nothing else can be settled either.
        var isProviderAway = false
    }

    private func settleSome(
        of id: TeamID,
        _ due: ProviderTripStore.Due,
        limit: Int
    ) async throws -> Turn {
        guard let team = try await teams.snapshot(of: id) else { return Turn() }
        let claimed = try await trips.claimUnsettled(of: provider.id, due, limit: limit, in: id)
        var turn = Turn(count: claimed.count)
        for trip in claimed.trips {
            do {
                try await settle(trip, in: team)
            } catch let failure as ProviderFailure {
                try await trips.postpone(trip.trip, in: id, at: clock())
                // Of a key that is not in the set, or a time to come, the token is the only witness.
                guard failure.isOfOneAnswer else {
                    turn.isProviderAway = true
                    return turn
                }
            } catch {
                try await trips.postpone(trip.trip, in: id, at: clock())
                turn.trouble = error
            }
        }
        return turn
    }

    /// An answer that proves nothing is settled by that.
    ///
    /// - Throws: `ProviderFailure` for one that cannot be verified now.
    private func settle(_ claimed: ProviderTripStore.Unsettled, in team: TeamSnapshot) async throws {
        do {
            if claimed.answer.error == nil { try await record(claimed, in: team) }
        } catch let failure as ProviderFailure {
            guard !failure.keepsAnswer else { throw failure }
        }
        try await trips.settle(claimed.trip, in: team.id, at: clock())
    }

    private func record(_ claimed: ProviderTripStore.Unsettled, in team: TeamSnapshot) async throws {
        let identity = try await provider.identify(
            claimed.answer,
            of: claimed.trip,
            in: team,
            at: claimed.answeredAt
        )
        let form = claimed.answer.user.flatMap(ProviderForm.init)
        let arrival = ProviderPersonStore.Arrival(
            identity,
            from: provider.id,
            form: form,
            // Where the name came, the person decided on the provider's sheet: it is delivered the next time.
            group: claimed.isForApp && form != nil ? claimed.trip.group : nil,
            asking: claimed.trip.scope.scopes,
            origin: .local,
            at: claimed.answeredAt
        )
        _ = try await people.record(arrival, in: team.id)
    }
}
