public import Bytes
public import Domain

/// Deletes the teams whose grace period is over: their addresses at once, then what they leave, bit by bit.
public struct TeamDeletionRound: Sendable {
    /// Rows that go with one transaction; short enough to be in nobody's way.
    private static let batch = 1000

    private let store: TeamDeletionStore

    public init(_ database: TeamDatabase, _ system: SystemDatabase) {
        store = TeamDeletionStore(database, system)
    }

    /// May end at any moment and be run again: it goes on where it was.
    ///
    /// - Throws: the first failure, once every team had its turn.
    public func run(at now: Timestamp = .now()) async throws {
        try await forEach(try await store.dueTeams(at: now)) { try await store.delete($0, at: now) }
        try await forEach(try await store.teamsToEmpty(at: now)) { try await empty($0, at: now) }
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
