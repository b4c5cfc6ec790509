public import Bytes
public import Domain

/// Deletes the teams whose grace period is over: their addresses at once, then what they owe, then what they leave.
public struct TeamDeletionRound: Sendable {
    /// Rows that go with one transaction; short enough to be in nobody's way.
    private static let batch = 1000

    private let store: TeamDeletionStore
    private let obligations: [any TeamObligations]

    /// - Parameter obligations: what must be met between the closing of a team and its deletion.
    public init(_ database: TeamDatabase, _ system: SystemDatabase, obligations: [any TeamObligations]) {
        store = TeamDeletionStore(database, system, obligations: obligations)
        self.obligations = obligations
    }

    /// May end at any moment and be run again, in several processes: it goes on where it was.
    ///
    /// - Throws: the first failure, once every team had its turn.
    public func run(at now: Timestamp = .now()) async throws {
        try await forEach(try await store.dueTeams(at: now)) { try await store.close($0, at: now) }
        try await forEach(try await store.closedTeams()) { try await settle($0, at: now) }
        try await forEach(try await store.teamsToEmpty(at: now)) { try await empty($0, at: now) }
    }

    private func settle(_ team: TeamID, at now: Timestamp) async throws {
        for obligation in obligations {
            while try await obligation.pursue(in: team, batch: Self.batch) > 0 {
                try Task.checkCancellation()
            }
        }
        try await store.delete(team, at: now)
    }

    private func empty(_ team: TeamID, at now: Timestamp) async throws {
        while try await store.removeRows(of: team, batch: Self.batch) > 0 { try Task.checkCancellation() }
        try await store.noteEmptied(team, at: now)
    }

    /// One team's trouble is not the others'.
    private func forEach(_ teams: [TeamID], _ body: (TeamID) async throws -> Void) async throws {
        var failure: (any Error)?
        for team in teams {
            do { try await body(team) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}
