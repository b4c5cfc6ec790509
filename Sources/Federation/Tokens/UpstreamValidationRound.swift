import Core
public import Platform

/// Periodic task that enqueues due validations, and gives up tokens whose revocation has no job any more.
///
/// Each round takes a bounded number of tokens of each team.
public struct UpstreamValidationRound: Sendable {
    /// Time between two rounds.
    public static let interval = Duration.seconds(60)
    /// Maximum number of tokens per team in one round.
    private static let batch = 500

    private let teams: UpstreamWorkStore
    private let validations: UpstreamValidationStore
    private let revocations: UpstreamTokenRevocationStore
    private let clock: @Sendable () -> Timestamp

    public init(_ database: TeamDatabase, system: SystemDatabase, server: ServerContext, accounts: any UpstreamAccounts)
    {
        teams = UpstreamWorkStore(system)
        validations = UpstreamValidationStore(database)
        revocations = UpstreamTokenRevocationStore(database, server: server, accounts: accounts)
        clock = server.clock
    }

    /// Runs one round; may run in several processes, each of which takes tokens that the others have not.
    public func run() async throws {
        let now = clock()
        try await teams.forEachTeam(.validation(at: now)) { team in
            try await validations.enqueueDue(in: team, at: now, limit: Self.batch)
            return true
        }
        try await teams.forEachTeam(.revocation) { team in
            try await revocations.abandon(in: team, limit: Self.batch)
            return true
        }
    }
}
