public import Core
public import Platform

/// Deletes the teams whose grace period is over: closes them, meets their obligations, then deletes their rows.
public struct TeamDeletionRound: Sendable {
    /// Rows deleted per transaction, which is short enough not to delay others.
    private static let batch = 1000

    private let store: TeamDeletionStore
    private let obligations: [any TeamObligations]

    /// - Parameter obligations: must be met between the closing of a team and its deletion.
    public init(_ database: TeamDatabase, _ system: SystemDatabase, obligations: [any TeamObligations]) {
        store = TeamDeletionStore(database, system, obligations: obligations)
        self.obligations = obligations
    }

    /// Runs one round; it may end at any moment and be run again, in several processes, and continues where it was.
    ///
    /// - Throws: the first failure, after all teams were processed.
    public func run(at now: Timestamp = .now()) async throws {
        try await store.dueTeams(at: now).forEachTeam { try await store.close($0, at: now) }
        try await store.closedTeams().forEachTeam { try await settle($0, at: now) }
        try await store.teamsToEmpty(at: now).forEachTeam { try await empty($0, at: now) }
    }

    private func settle(_ team: TeamID, at now: Timestamp) async throws {
        for obligation in obligations {
            while try await obligation.continueDeletion(in: team, batch: Self.batch) > 0 {
                try Task.checkCancellation()
            }
        }
        try await store.delete(team, at: now)
    }

    private func empty(_ team: TeamID, at now: Timestamp) async throws {
        while try await store.removeRows(of: team, batch: Self.batch) > 0 { try Task.checkCancellation() }
        try await store.noteEmptied(team, at: now)
    }
}
