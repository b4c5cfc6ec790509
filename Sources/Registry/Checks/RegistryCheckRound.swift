public import Domain

/// Asks once more about everything of all teams that is due.
public struct RegistryCheckRound: Sendable {
    /// From one round to the next.
    public static let interval = Duration.seconds(60)
    /// Teams of one round; the others are next.
    private static let batch = 200
    private static let turns = FairTurns(width: 16, turnsPerTeam: 12)

    private let store: RegistryCheckStore
    private let checks: RegistryChecks

    public init(_ database: SystemDatabase, _ checks: RegistryChecks) {
        store = RegistryCheckStore(database)
        self.checks = checks
    }

    /// May run in several processes: each takes what the others have not.
    ///
    /// A server may take a connection and never answer: a turn of a team is as long as the deadline of its slowest thing,
    /// and a team of many such things waits behind all others for its next one.
    public func run() async throws {
        try await Self.turns.give(to: try await store.dueTeams(limit: Self.batch)) { team in
            try await checks.checkDue(in: team)
        }
    }
}
