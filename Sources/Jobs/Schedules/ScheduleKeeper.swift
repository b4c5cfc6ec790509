import Bytes
import Crypto
public import Domain
public import EventLoop
public import Log
import Postgres

/// Runs the schedules of the installation, of which it claims those that no other process is running.
// @unchecked Sendable: all state is accessed on the loop's thread only; `Task`s started here run there.
public final class ScheduleKeeper: @unchecked Sendable {
    private static let lease = Duration.seconds(60)

    private let loop: EventLoop
    private let store: ScheduleStore
    private let schedules: [String: Schedule]
    private let worker: WorkerID
    private let pollInterval: Duration
    private let log: Log
    private var running: [String: Task<Void, Never>] = [:]
    private let pause: LoopPause
    private var isStopping = false

    /// - Parameter pollInterval: time between two looks for schedules that are due.
    public init(
        on loop: EventLoop, _ system: SystemDatabase, _ schedules: [Schedule], worker: WorkerID,
        pollInterval: Duration = .seconds(1), log: Log
    ) {
        self.loop = loop
        store = ScheduleStore(system)
        self.schedules = Dictionary(uniqueKeysWithValues: schedules.map { ($0.name, $0) })
        self.worker = worker
        self.pollInterval = pollInterval
        self.log = log
        pause = LoopPause(on: loop)
    }

    /// Runs the schedules until `stop`; call it as a task of the loop.
    public func run() async {
        var isDeclared = false
        var renewal = MonotonicTime.now()
        while !isStopping {
            do {
                if !isDeclared {
                    for schedule in schedules.values {
                        try await store.declare(schedule.name, every: schedule.interval)
                    }
                    isDeclared = true
                }
                if !running.isEmpty, MonotonicTime.now() - renewal > Self.lease.nanoseconds / 3 {
                    try await store.renew(Array(running.keys), worker: worker, lease: Self.lease)
                    renewal = MonotonicTime.now()
                }
                try await take()
            } catch { if !isStopping { log(.warning, "schedules.take_failed", ("cause", "\(error)")) } }
            await pause.wait(for: pollInterval)
        }
    }

    /// Starts no more runs, waits for those under way, and releases those that have not ended in time.
    ///
    /// Call it on the loop.
    public func stop(within timeout: Duration) async {
        isStopping = true
        pause.end()
        let deadline = MonotonicTime.now() + timeout.nanoseconds
        while !running.isEmpty, MonotonicTime.now() < deadline { await loop.sleep(for: .milliseconds(20)) }
        guard !running.isEmpty else { return }
        for task in running.values { task.cancel() }
        do { try await store.release(Array(running.keys), worker: worker) } catch {
            log(.warning, "schedules.release_failed", ("cause", "\(error)"))
        }
    }

    private func take() async throws(PostgresFailure) {
        let idle = schedules.keys.filter { running[$0] == nil }
        guard !idle.isEmpty, !isStopping else { return }
        for name in try await store.claim(idle, worker: worker, lease: Self.lease) {
            guard let schedule = schedules[name] else { continue }
            running[name] = Task(executorPreference: loop) {
                await self.perform(schedule)
                self.running[name] = nil
            }
        }
    }

    private func perform(_ schedule: Schedule) async {
        var problem: String?
        do { try await schedule.perform() } catch {
            problem = "\(error)".cut(toOctets: 1000)
            if !isStopping { log(.warning, "schedule.failed", ("schedule", schedule.name), ("cause", problem)) }
        }
        do { try await store.finish(schedule.name, worker: worker, problem: problem) } catch {
            if !isStopping { log(.warning, "schedule.end_failed", ("cause", "\(error)")) }
        }
    }
}
