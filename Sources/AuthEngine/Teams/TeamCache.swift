public import Domain
public import EventLoop
import Postgres

/// The snapshots of the teams that one loop serves.
///
/// A snapshot is used while the watch has proved within the last second that it is the team's newest; without
/// that proof every look-up reads the database. So what is revoked stops within a second on every node.
// @unchecked Sendable: touched on its loop's thread alone.
public final class TeamCache: @unchecked Sendable {
    /// How many teams are kept; beyond it an arbitrary one makes room.
    private static let capacity = 512
    /// How old the watch's proof may be, in nanoseconds.
    private static let proofLifetime: Int64 = 1_000_000_000

    private let loop: EventLoop
    private let store: TeamSnapshotStore
    private var snapshots: [TeamID: TeamSnapshot] = [:]
    private var loading: [TeamID: Task<TeamSnapshot?, any Error>] = [:]
    /// When the watch last read the versions; nil before its first proof.
    private var provedAt: Int64?

    public init(loop: EventLoop, database: TeamDatabase, context: EngineContext) {
        self.loop = loop
        store = TeamSnapshotStore(database: database, keyRing: context.keyRing)
    }

    /// The team, or nil when there is none, or it is closed for good.
    ///
    /// - Parameter evenClosed: for what goes on behind closed doors: revocations, and pages of the team's members.
    /// - Throws: `PostgresFailure` when it had to be read and could not be.
    public func snapshot(of team: TeamID, evenClosed: Bool = false) async throws -> TeamSnapshot? {
        guard let found = try await newest(of: team), evenClosed || !found.isClosed else { return nil }
        return found
    }

    private func newest(of team: TeamID) async throws -> TeamSnapshot? {
        if let known = snapshots[team], let provedAt, MonotonicTime.now() - provedAt < Self.proofLifetime {
            return known
        }
        return try await load(team)
    }

    /// Forgets a team whose registry was just changed here.
    public func forget(_ team: TeamID) {
        snapshots[team] = nil
        loading[team] = nil
    }

    /// Takes the watch's word: at `moment` these were the versions of all teams changed lately.
    func confirm(_ versions: [TeamID: Int], at moment: Int64) {
        for (team, version) in versions {
            if let known = snapshots[team], known.version != version { snapshots[team] = nil }
        }
        provedAt = max(provedAt ?? moment, moment)
    }

    /// Forgets everything: the watch was blind for longer than its window.
    func forgetAll() {
        snapshots = [:]
        loading = [:]
    }

    /// Requests that miss together share one load.
    private func load(_ team: TeamID) async throws -> TeamSnapshot? {
        if let task = loading[team] { return try await task.value }
        let task = Task(executorPreference: loop) { [store] in try await store.load(team) }
        loading[team] = task
        let result = await task.result
        // Forgotten meanwhile: what was read may be older than the change.
        guard loading[team] == task else { return try result.get() }
        loading[team] = nil
        let snapshot = try result.get()
        if snapshots.count >= Self.capacity, let other = snapshots.keys.first { snapshots[other] = nil }
        snapshots[team] = snapshot
        return snapshot
    }
}
