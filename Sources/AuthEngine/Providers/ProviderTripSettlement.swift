import Bytes
import Directory
public import Domain
import Postgres
import Synchronization

/// Keeps who came, and the name that comes once, where the browser that was sent to the provider never came back.
///
/// What the provider posted says who it was about; its code stays unspent. The trip itself stays for its time, since the
/// browser may still come. Anybody may post anything to a trip they have begun: what cannot be judged yet waits longer each
/// time. Whoever has parted from the provider since is not written down again.
public struct ProviderTripSettlement: Sendable {
    /// From one round to the next.
    public static let interval = Duration.seconds(60)
    /// How long a browser that was sent on may take to come.
    static let patience = Duration.seconds(120)

    private let provider: any IdentityProvider
    private let teamsWithWork: ProviderTeamStore
    private let teams: TeamCache
    private let trips: ProviderTripStore
    private let people: ProviderPersonStore
    private let clock: @Sendable () -> Timestamp
    /// Answers of one round.
    private let batch: Int
    /// Answers of a team before it is the next one's turn.
    private let turn: Int
    private let position = Position()

    /// Whose turn was the last one: the next round goes on behind that team, or those that come late in the walk might
    /// never have one.
    private final class Position: Sendable {
        let team = Mutex<TeamID?>(nil)
    }

    public init(
        _ provider: any IdentityProvider,
        context: EngineContext,
        database: TeamDatabase,
        system: SystemDatabase,
        teams: TeamCache
    ) {
        self.init(
            provider,
            context: context,
            database: database,
            system: system,
            teams: teams,
            batch: 10_000,
            turn: 20
        )
    }

    init(
        _ provider: any IdentityProvider,
        context: EngineContext,
        database: TeamDatabase,
        system: SystemDatabase,
        teams: TeamCache,
        batch: Int,
        turn: Int
    ) {
        self.provider = provider
        teamsWithWork = ProviderTeamStore(system)
        self.teams = teams
        trips = ProviderTripStore(database, context: context, patience: provider.patience)
        people = ProviderPersonStore(database)
        clock = context.clock
        (self.batch, self.turn) = (batch, turn)
    }

    /// May run in several processes: each takes what the others have not.
    ///
    /// Every team has its turn before one has another, over rounds as well, so that no team's answers keep another's
    /// waiting.
    public func run() async throws {
        let now = clock()
        let due = ProviderTripStore.Due(answeredBefore: now - Self.patience, now: now)
        var (left, trouble): (Int, (any Error)?) = (batch, nil)
        var (before, isProviderAway) = (left, false)
        // Whatever becomes of Apple meanwhile.
        try await teamsWithWork.walk(.settlement(due)) { team in
            do { try await trips.trim(in: team, at: now) } catch { trouble = trouble ?? error }
            return true
        }
        repeat {
            before = left
            try await teamsWithWork.walk(.settlement(due), after: position.team.withLock { $0 }) { team in
                position.team.withLock { $0 = team }
                let settled = try await settleSome(of: team, due, limit: min(left, turn))
                left -= settled.count
                trouble = trouble ?? settled.trouble
                isProviderAway = settled.isProviderAway
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
            at: claimed.answeredAt,
            provedBy: ProviderPartings.Proof(
                answeredAt: claimed.answeredAt,
                arrivedAt: claimed.arrivedAt,
                for: claimed.trip.group
            )
        )
        _ = try await people.record(arrival, in: team.id)
    }
}
