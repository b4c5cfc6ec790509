public import Core
public import EventLoop
public import Platform
public import Postgres
import Synchronization

/// Reads the versions of the teams' registries about twice a second and passes them to the caches of all loops.
// @unchecked Sendable: mutable state is confined to its loop or protected by a lock; the list of caches is constant.
public final class RegistryWatch: @unchecked Sendable {
    /// Time between two reads.
    public static let interval = Duration.milliseconds(400)
    /// Nanoseconds without a successful read after which the caches are emptied; less than the query looks back.
    private static let blindness: Int64 = 30_000_000_000

    private let loop: EventLoop
    private let store: RegistryVersionStore
    private let caches: [(loop: EventLoop, cache: TeamCache)]
    private let log: Log
    /// Called on the loop with what each read found out about the database, or why it failed.
    private let observe: @Sendable (Result<DatabaseFacts, PostgresFailure>) -> Void
    /// The teams held by each cache at its last update, by the cache's index.
    private let held = Mutex<[Int: [TeamID]]>([:])
    private var lastSuccess: Int64 = .min
    /// Whether the last read failed; only the first of consecutive failures is logged.
    private var isFailing = false
    private var isStopped = false

    public init(
        loop: EventLoop, database: SystemDatabase, caches: [(loop: EventLoop, cache: TeamCache)], log: Log,
        observe: @escaping @Sendable (Result<DatabaseFacts, PostgresFailure>) -> Void = { _ in }
    ) {
        self.loop = loop
        self.observe = observe
        store = RegistryVersionStore(database: database)
        self.caches = caches
        self.log = log
    }

    /// Reads until `stop`; call it as a task of the loop.
    public func run() async {
        while !isStopped {
            await readOnce()
            await loop.sleep(for: Self.interval)
        }
    }

    /// Ends `run` at its next iteration.
    ///
    /// Call it on the loop.
    public func stop() { isStopped = true }

    /// Removes `team` from every cache of this process at once, because its registry was changed here.
    public func announce(_ team: TeamID) {
        for (loop, cache) in caches {
            if loop.isCurrent { cache.forget(team) } else { loop.execute { cache.forget(team) } }
        }
    }

    private func versions() async -> [TeamID: Int]? {
        do throws(PostgresFailure) {
            let teams = held.withLock { Set($0.values.joined()) }
            let (versions, facts) = try await store.read(changedAnd: teams)
            isFailing = false
            observe(.success(facts))
            return versions
        } catch {
            observe(.failure(error))
            if !isFailing { log(.warning, "registry_watch.failed", ("cause", "\(describing: error)")) }
            isFailing = true
            return nil
        }
    }

    func readOnce() async {
        let moment = MonotonicTime.now()
        guard let versions = await versions() else { return }
        let wasBlind = lastSuccess == .min || moment - lastSuccess > Self.blindness
        lastSuccess = moment
        for (place, (loop, cache)) in caches.enumerated() {
            loop.execute { [self] in
                if wasBlind { cache.forgetAll() }
                cache.confirm(versions, at: moment)
                let teams = cache.teams
                held.withLock { $0[place] = teams }
            }
        }
    }
}

/// Reads the versions of registries that changed within the last minute, and of registries held by a cache.
///
/// One minute, because a change becomes visible at the commit of its transaction, possibly seconds after its timestamp.
/// After a longer transaction only caches that hold the registry need the change, and held versions are always read.
struct RegistryVersionStore: Sendable {
    let database: SystemDatabase

    /// The versions, and in the same statement the facts about the database, which has a row even without versions.
    func read(changedAnd held: Set<TeamID>) async throws(PostgresFailure) -> (
        versions: [TeamID: Int], facts: DatabaseFacts
    ) {
        let rows = try await database.query(
            """
            SELECT \(DatabaseFacts.columns), team_id, version
            FROM (VALUES (true)) AS one
            LEFT JOIN registry_versions
                ON changed_at > now() - interval '1 minute' OR team_id = ANY (\(held.map(\.rawValue)))
            """)
        guard var first = rows.first else { throw .unreadable(column: 0, as: "facts about the database") }
        let facts = try DatabaseFacts(&first)
        var versions: [TeamID: Int] = [:]
        for var row in rows {
            _ = try DatabaseFacts(&row)
            if let team = try row.next(TeamID?.self) { versions[team] = try row.next(Int.self) }
        }
        return (versions, facts)
    }
}
