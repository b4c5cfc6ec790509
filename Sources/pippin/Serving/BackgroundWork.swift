import Domain
import EventLoop
import Jobs
import Log
import Operations

/// Work of a process beside its requests, on the first of its loops: jobs and the heartbeat.
struct BackgroundWork: Sendable {
    /// Time for jobs under way to finish when the server stops.
    private static let timeout = Duration.seconds(10)

    private let loop: EventLoop
    private let jobs: JobWorker
    private let heartbeat: Heartbeat

    init(
        on loopServices: [LoopServices], handlers: JobHandlers, connections: ConnectionWatch, refusals: RefusalCount,
        log: Log
    ) {
        let services = loopServices[0]
        loop = services.loop
        let system = SystemDatabase(services.system)
        jobs = JobWorker(on: loop, services.database, system: system, handlers: handlers, bell: services.bell, log: log)
        heartbeat = Heartbeat(
            loops: loopServices.map(\.loop), traces: loopServices.map(\.traces), store: ProcessStore(system),
            jobs: jobs, connections: connections, refusals: refusals, log: log)
    }

    /// Starts the work; called on the loop.
    func begin(while isOpen: @escaping @Sendable () -> Bool) {
        Task(executorPreference: loop) { await heartbeat.run(while: isOpen) }
        Task(executorPreference: loop) { await jobs.run() }
    }

    /// Starts nothing more, and finishes or releases what is under way; called on the loop.
    func stop() async {
        await jobs.stop(within: Self.timeout)
        await heartbeat.end()
    }
}
