import Accounts
import Core
import EventLoop
import Glibc
import HTTP
import Platform
import Synchronization

/// Stores a heartbeat of this process, with its load, every ten seconds.
struct Heartbeat: Sendable {
    private static let interval = Duration.seconds(10)

    let loops: [EventLoop]
    /// Trace recorders of the loops, in the order of the loops.
    let traces: [TraceRecorder]
    let store: ProcessStore
    let jobs: JobWorker
    let connections: ConnectionWatch
    let refusals: RefusalCount
    let log: Log
    let startedAt = Timestamp.now()

    /// Stores heartbeats until the process stops; call it as a task of the first loop.
    func run(while isOpen: @Sendable () -> Bool) async {
        while isOpen() {
            do { try await store.note(try await beat()) } catch {
                if isOpen() { log(.warning, "heartbeat.failed", ("cause", "\(error)")) }
            }
            await loops[0].sleep(for: Self.interval)
        }
    }

    /// Removes the process from the store when it stops.
    func end() async {
        do { try await store.remove(jobs.id.rawValue) } catch {
            log(.warning, "heartbeat.failed", ("cause", "\(error)"))
        }
    }

    private func beat() async throws -> ProcessHeartbeat {
        var lag = Duration.zero
        var dropped = 0
        for (loop, traces) in zip(loops, traces) {
            let start = MonotonicTime.now()
            dropped += try await loop.run { traces.dropped }
            lag = max(lag, .nanoseconds(MonotonicTime.now() - start))
        }
        var beat = ProcessHeartbeat(
            id: jobs.id.rawValue, host: Machine.hostName, pid: Int(getpid()), version: Version.current,
            startedAt: startedAt, clock: .now(), loops: loops.count)
        (beat.loopLag, beat.memory) = (Int(lag / .microseconds(1)), Malloc.giveBack())
        let counts = jobs.counts
        (beat.jobsSucceeded, beat.jobsFailed, beat.jobsDead) = (counts.succeeded, counts.failed, counts.dead)
        (beat.traceEventsDropped, beat.connections) = (dropped, connections.sample())
        beat.refused = refusals.figures
        return beat
    }
}

/// Reports the connections of this process, and logs those that were refused, closed or had to wait.
final class ConnectionWatch: Sendable {
    private let log: Log
    /// Nil until the servers have started.
    private let inFlight = Mutex<InFlight?>(nil)
    private let told = Mutex(ConnectionFigures())

    init(log: Log) { self.log = log }

    /// Watches the servers of this process, which share one count.
    func begin(with servers: [Server]) {
        let shared = servers.first?.inFlight
        inFlight.withLock { $0 = shared }
    }

    /// The current statistics; what was refused, closed or waited since the last call goes to the log.
    func sample() -> ConnectionStatistics {
        let figures = inFlight.withLock { $0?.figures } ?? ConnectionFigures()
        let before = told.withLock { told in
            defer { told = figures }
            return told
        }
        logChanges(figures, since: before)
        var statistics = ConnectionStatistics()
        (statistics.now, statistics.peak, statistics.limit) = (figures.now, figures.peak, figures.limit)
        (statistics.refused, statistics.full) = (figures.refused, figures.full)
        statistics.shortages = figures.exhaustions
        (statistics.octetsInDelivery, statistics.answersGivenUp) = (figures.inDelivery, figures.answersGivenUp)
        (statistics.descriptors, statistics.descriptorLimit) = (Descriptors.count, Descriptors.limit)
        return statistics
    }

    private func logChanges(_ now: ConnectionFigures, since before: ConnectionFigures) {
        let causes: [(String, Int, IPAddress?)] = [
            ("address", now.refused - before.refused, now.lastRefused), ("limit", now.full - before.full, nil),
            ("delivery", now.answersGivenUp - before.answersGivenUp, nil),
            ("descriptors", now.exhaustions - before.exhaustions, nil),
        ]
        for (cause, count, address) in causes where count > 0 {
            log(
                .warning, "connections.refused", ("cause", cause), ("count", String(count)),
                ("address", address?.description))
        }
    }
}
