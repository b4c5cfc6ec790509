import Bytes
public import Domain

/// Has what is due validated, a bounded number of tokens of each team at a time, and finds tokens that nobody revokes
/// any more.
public struct ProviderValidationRound: Sendable {
    /// From one round to the next.
    public static let interval = Duration.seconds(60)
    /// Tokens taken of one team.
    private static let batch = 500

    private let teams: ProviderTeamStore
    private let validations: ProviderValidationStore
    private let fates: ProviderTokenFateStore
    private let clock: @Sendable () -> Timestamp

    public init(_ database: TeamDatabase, system: SystemDatabase, context: EngineContext) {
        teams = ProviderTeamStore(system)
        validations = ProviderValidationStore(database)
        fates = ProviderTokenFateStore(database, context: context)
        clock = context.clock
    }

    /// May run in several processes: each takes what the others have not.
    public func run() async throws {
        let now = clock()
        try await teams.walk(.validation(at: now)) { team in
            try await validations.enqueueDue(in: team, at: now, limit: Self.batch)
            return true
        }
        try await teams.walk(.revocation) { team in
            try await fates.abandon(in: team, limit: Self.batch)
            return true
        }
    }
}
