public import Domain

/// Asks once more about everything of all teams that is due.
public struct RegistryCheckRound: Sendable {
    /// From one round to the next.
    public static let interval = Duration.seconds(60)
    /// Teams of one round; the others are next.
    private static let batch = 200

    private let store: RegistryCheckStore
    private let checks: RegistryChecks

    public init(_ database: SystemDatabase, _ checks: RegistryChecks) {
        store = RegistryCheckStore(database)
        self.checks = checks
    }

    /// May run in several processes: each takes what the others have not.
    public func run() async throws {
        for team in try await store.dueTeams(limit: Self.batch) { try await checks.checkDue(in: team) }
    }
}
