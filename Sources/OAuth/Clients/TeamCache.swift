import Core
public import EventLoop
public import Platform

/// The snapshots of the teams that one loop serves.
///
/// A snapshot is used while the registry watch has confirmed within the last second that it is current; without that,
/// every look-up reads the database. So a revocation takes effect within a second on every node.
// @unchecked Sendable: accessed only on its loop's thread.
public final class TeamCache: @unchecked Sendable {
    /// Most cached teams; beyond that, an arbitrary one is removed.
    public static let capacity = 512
    /// Longest age of the watch's confirmation, in nanoseconds.
    private static let proofLifetime: Int64 = 1_000_000_000

    private let capacity: Int
    /// The loop that the cache belongs to.
    public let loop: EventLoop
    let server: ServerContext
    private let store: TeamSnapshotStore
    private var snapshots: [TeamID: TeamSnapshot] = [:]
    private var loading: [TeamID: Load] = [:]
    /// Counts changes that make a load necessary, of this loop alone.
    let limits = LimitCounts()
    /// Teams beyond the limit of such changes, whose next load waits and shows what is committed meanwhile.
    private var late: Set<TeamID> = []
    /// Delays such a load; another function in tests.
    var delay: @Sendable (EventLoop) async -> Void = { await $0.sleep(for: .milliseconds(400)) }
    /// Time of the watch's last read of the versions; nil before the first.
    private var provedAt: Int64?

    /// A load in progress, or waiting for its delay.
    // @unchecked Sendable: accessed only on its loop's thread.
    private final class Load: @unchecked Sendable {
        var task: Task<TeamSnapshot?, any Error>?
        /// Whether the database query has begun; it may miss later changes.
        var hasBegun = false
    }

    /// - Parameter pool: the thread pool that parses large registries; nil to parse them on the loop.
    public init(
        loop: EventLoop, database: TeamDatabase, server: ServerContext, pool: BlockingPool? = nil,
        capacity: Int = TeamCache.capacity
    ) {
        self.capacity = capacity
        self.loop = loop
        self.server = server
        store = TeamSnapshotStore(database: database, keyRing: server.keyRing, pool: pool)
    }

    /// Finds a team; nil when it does not exist or is closed.
    ///
    /// - Parameter evenClosed: whether to include closed teams, for revocations and for pages of the team's members.
    /// - Throws: `PostgresFailure` when it must be read and the read fails.
    public func snapshot(of team: TeamID, evenClosed: Bool = false) async throws -> TeamSnapshot? {
        guard let found = try await newest(of: team), evenClosed || !found.isClosed else { return nil }
        return found
    }

    /// Finds a team as its registry is at this moment, for requests that may come right after a change elsewhere.
    ///
    /// - Throws: `PostgresFailure`.
    public func currentSnapshot(of team: TeamID) async throws -> TeamSnapshot? {
        if snapshots[team] != nil {
            let version = try await store.version(of: team)
            // Another request may have loaded it meanwhile.
            if let known = snapshots[team], known.version != version { forget(team) }
        }
        return try await snapshot(of: team)
    }

    /// The team if it is open, in memory and known to be current.
    public func known(_ team: TeamID) -> TeamSnapshot? { proven(team).flatMap { $0.isClosed ? nil : $0 } }

    private func proven(_ team: TeamID) -> TeamSnapshot? {
        guard let known = snapshots[team], let provedAt, MonotonicTime.now() - provedAt < Self.proofLifetime else {
            return nil
        }
        return known
    }

    private func newest(of team: TeamID) async throws -> TeamSnapshot? {
        if let known = proven(team) { return known }
        return try await load(team)
    }

    /// Removes the snapshot of a team whose registry was just changed here.
    public func forget(_ team: TeamID) {
        let isUnderWay = loading[team]?.hasBegun ?? false
        if isUnderWay { loading[team] = nil }
        guard snapshots.removeValue(forKey: team) != nil || isUnderWay else { return }
        let use = RateLimit.Use(.registryReloads, by: .team)
        if !limits.isWithin([use], in: team, at: .now()) { late.insert(team) }
    }

    /// The teams with a snapshot.
    var teams: [TeamID] { Array(snapshots.keys) }

    /// Confirms snapshots: at `moment` these were the versions of all recently changed teams, and of those the watch
    /// knew to be held.
    func confirm(_ versions: [TeamID: Int], at moment: Int64) {
        for (team, version) in versions { if let known = snapshots[team], known.version != version { forget(team) } }
        provedAt = max(provedAt ?? moment, moment)
    }

    /// Removes all snapshots, after the watch could not read the versions for too long.
    func forgetAll() {
        snapshots = [:]
        loading = [:]
    }

    /// Loads a snapshot; concurrent requests share one load.
    private func load(_ team: TeamID) async throws -> TeamSnapshot? {
        if let task = loading[team]?.task { return try await task.value }
        let load = Load()
        let isLate = late.remove(team) != nil
        let task = Task(executorPreference: loop) { [store, loop, delay] in
            if isLate { await delay(loop) }
            load.hasBegun = true
            return try await store.load(team)
        }
        load.task = task
        loading[team] = load
        let result = await task.result
        // Invalidated during the load: the result may be older than the change.
        guard loading[team] === load else { return try result.get() }
        loading[team] = nil
        // A nonexistent team is not cached, because unauthenticated requests can name any number of them.
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
