import AuthEngine
import Bytes
import Domain
import EventLoop
import Glibc
import Jobs
import Log
import Operations

/// Says every ten seconds that this process lives, and how it is.
struct Heartbeat: Sendable {
    private static let interval = Duration.seconds(10)

    let loops: [EventLoop]
    /// Of each loop, in their order.
    let flows: [FlowRecorder]
    let store: ProcessStore
    let jobs: JobWorker
    let connections: ConnectionWatch
    let refusals: RefusalCount
    let log: Log
    let startedAt = Timestamp.now()

    /// Beats until the process stops; call it as a task of the first loop.
    func run(while isOpen: @Sendable () -> Bool) async {
        while isOpen() {
            do {
                try await store.note(try await beat())
            } catch {
                if isOpen() { log(.warning, "heartbeat.failed", ("cause", "\(error)")) }
            }
            await loops[0].sleep(for: Self.interval)
        }
    }

    /// Says that the process stops.
    func end() async {
        do {
            try await store.remove(jobs.id.rawValue)
        } catch {
            log(.warning, "heartbeat.failed", ("cause", "\(error)"))
        }
    }

    private func beat() async throws -> ProcessBeat {
        var lag = Duration.zero
        var dropped = 0
        for (loop, flows) in zip(loops, flows) {
            let start = MonotonicTime.now()
            dropped += try await loop.run { flows.dropped }
            lag = max(lag, .nanoseconds(MonotonicTime.now() - start))
        }
        let counts = jobs.counts
        return ProcessBeat(
            id: jobs.id.rawValue,
            host: Machine.hostName,
            pid: Int(getpid()),
            version: Version.current,
            startedAt: startedAt,
            clock: .now(),
            loops: loops.count,
            loopLag: lag,
            memory: Malloc.giveBack(),
            jobs: (counts.succeeded, counts.failed, counts.dead),
            flowStepsDropped: dropped,
            connections: connections.look(),
            refused: refusals.figures
        )
    }
}
