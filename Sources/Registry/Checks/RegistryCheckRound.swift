public import Platform

/// Periodic check of all domains and e-mail sources that are due, over all teams.
public struct RegistryCheckRound: Sendable {
    /// Time between two rounds.
    public static let interval = Duration.seconds(60)
    /// Maximum number of teams in one round; the others follow in the next.
    private static let batch = 200
    private static let turns = FairScheduler(width: 16, turnsPerTeam: 12)

    private let store: RegistryCheckStore
    private let checks: RegistryChecks

    public init(_ database: SystemDatabase, _ checks: RegistryChecks) {
        store = RegistryCheckStore(database)
        self.checks = checks
    }

    /// Checks what is due; may run in several processes, because each takes other domains and sources.
    ///
    /// A server may accept a connection and never answer: a turn lasts up to the deadline of its slowest check, and a
    /// team with many such servers waits behind all other teams for its next turn.
    public func run() async throws {
        try await Self.turns.give(to: try await store.dueTeams(limit: Self.batch)) { team in
            try await checks.checkDue(in: team)
        }
    }
}
