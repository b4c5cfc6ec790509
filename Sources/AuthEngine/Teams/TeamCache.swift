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
    public static let capacity = 512
    /// How old the watch's proof may be, in nanoseconds.
    private static let proofLifetime: Int64 = 1_000_000_000

    private let capacity: Int
    /// The loop whose teams these are.
    public let loop: EventLoop
    private let store: TeamSnapshotStore
    private var snapshots: [TeamID: TeamSnapshot] = [:]
    private var loading: [TeamID: Load] = [:]
    var pace = ReloadPace()
    /// When the watch last read the versions; nil before its first proof.
    private var provedAt: Int64?

    /// A reading that is under way, or waits for its turn.
    // @unchecked Sendable: touched on the loop's thread alone.
    private final class Load: @unchecked Sendable {
        var task: Task<TeamSnapshot?, any Error>?
        /// Whether the database was asked: a change from then on may not be in the answer.
        var hasBegun = false
    }

    /// - Parameter pool: where large registries are read; on the loop where there is none.
    public init(
        loop: EventLoop,
        database: TeamDatabase,
        context: EngineContext,
        pool: BlockingPool? = nil,
        capacity: Int = TeamCache.capacity
    ) {
        self.capacity = capacity
        self.loop = loop
        store = TeamSnapshotStore(database: database, keyRing: context.keyRing, pool: pool)
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
        let isUnderWay = loading[team]?.hasBegun ?? false
        if isUnderWay { loading[team] = nil }
        if snapshots.removeValue(forKey: team) != nil || isUnderWay {
            pace.note(team, at: MonotonicTime.now())
        }
    }

    /// Those of which it has a snapshot.
    var teams: [TeamID] { Array(snapshots.keys) }

    /// Takes the watch's word: at `moment` these were the versions of all teams changed lately, and of those that it was told
    /// are held.
    func confirm(_ versions: [TeamID: Int], at moment: Int64) {
        for (team, version) in versions {
            if let known = snapshots[team], known.version != version { forget(team) }
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
        if let task = loading[team]?.task { return try await task.value }
        let load = Load()
        let wait = pace.wait(for: team, at: MonotonicTime.now())
        let task = Task(executorPreference: loop) { [store, loop] in
            if wait > 0 { await loop.sleep(for: .nanoseconds(wait)) }
            load.hasBegun = true
            return try await store.load(team)
        }
        load.task = task
        loading[team] = load
        let result = await task.result
        // Forgotten meanwhile: what was read may be older than the change.
        guard loading[team] === load else { return try result.get() }
        loading[team] = nil
        // A team that does not exist, of which anybody may ask, takes the place of none.
        guard let snapshot = try result.get() else {
            snapshots[team] = nil
            return nil
        }
        if snapshots[team] == nil, snapshots.count >= capacity, let other = snapshots.keys.first {
            snapshots[other] = nil
        }
        snapshots[team] = snapshot
        return snapshot
    }
}
