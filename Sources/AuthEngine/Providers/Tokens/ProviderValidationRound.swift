public import Bytes
public import Domain

/// Has what is due validated, a bounded number of tokens of each team at a time.
public struct ProviderValidationRound: Sendable {
    /// From one round to the next.
    public static let interval = Duration.seconds(60)
    /// Tokens looked at for their teams in one round.
    private static let reach = 5000
    /// Tokens taken of one team.
    private static let batch = 500

    private let system: SystemDatabase
    private let store: ProviderValidationStore
    private let clock: @Sendable () -> Timestamp

    public init(
        _ database: TeamDatabase,
        system: SystemDatabase,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.system = system
        store = ProviderValidationStore(database)
        self.clock = clock
    }

    /// May run in several processes: each takes what the others have not.
    public func run() async throws {
        let now = clock()
        for team in try await ProviderValidationStore.dueTeams(at: now, limit: Self.reach, in: system) {
            try await store.enqueueDue(in: team, at: now, limit: Self.batch)
        }
    }
}
