import Bytes
import Directory
public import Domain
import Postgres

/// Keeps who came, and the name that comes once, where the browser that was sent to the provider never came back.
///
/// What the provider posted says who it was about; its code stays unspent. The trip itself stays for its time, since the
/// browser may still come.
public struct ProviderTripSettlement: Sendable {
    /// From one round to the next.
    public static let interval = Duration.seconds(60)
    /// How long a browser that was sent on may take to come.
    static let patience = Duration.seconds(120)
    /// Teams of one round, and trips of each.
    private static let batch = 200

    private let provider: any IdentityProvider
    private let system: SystemDatabase
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
        self.system = system
        self.teams = teams
        trips = ProviderTripStore(database, context: context)
        people = ProviderPersonStore(database)
        clock = context.clock
    }

    /// May run in several processes: each takes what the others have not.
    public func run() async throws {
        let now = clock()
        for id in try await ProviderTripStore.unsettledTeams(at: now - Self.patience, Self.batch, in: system)
        {
            guard let team = try await teams.snapshot(of: id) else { continue }
            for claimed in try await trips.claimUnsettled(
                of: provider.id,
                answeredBefore: now - Self.patience,
                limit: Self.batch,
                in: id,
                at: now
            ) {
                try await settle(claimed, in: team)
            }
        }
    }

    /// An answer that proves nothing is settled by that; one that cannot be verified now is looked at again.
    private func settle(_ claimed: ProviderTripStore.Unsettled, in team: TeamSnapshot) async throws {
        do {
            if claimed.answer.error == nil { try await record(claimed, in: team) }
        } catch let failure as ProviderFailure {
            guard failure.remedy != .again else { return try await trips.release(claimed.trip, in: team.id) }
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
