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
    let readiness: Readiness
    let publicURL: String
    let log: Log
    let startedAt = Timestamp.now()

    /// Stores heartbeats until the process stops; call it as a task of the first loop.
    func run(while isOpen: @Sendable () -> Bool) async {
        while isOpen() {
            do { try await store.note(try await beat()) } catch {
                if isOpen() { log(.warning, "heartbeat.failed", ("cause", "\(describing: error)")) }
            }
            await loops[0].sleep(for: Self.interval)
        }
    }

    /// Removes the process from the store when it stops.
    func end() async {
        do { try await store.remove(jobs.id.rawValue) } catch {
            log(.warning, "heartbeat.failed", ("cause", "\(describing: error)"))
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
        (beat.refused, beat.conditions) = (refusals.figures, readiness.codes.map(\.rawValue))
        beat.publicURL = publicURL
        return beat
    }
}
