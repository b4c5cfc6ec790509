import Domain
import EventLoop
import Jobs
import Log
import Operations

/// Work of a process beside its requests: the jobs of all teams and the schedules of the installation.
struct BackgroundWork: Sendable {
    /// Time for jobs and schedules under way to finish when the server stops.
    private static let timeout = Duration.seconds(10)

    private let loop: EventLoop
    private let jobs: JobWorker
    private let schedules: ScheduleKeeper
    private let heartbeat: Heartbeat

    /// - Parameter loopServices: services of the process's loops; the first loop runs the jobs and schedules.
    init(
        on loopServices: [LoopServices], handlers: JobHandlers, schedules: [Schedule], connections: ConnectionWatch,
        refusals: RefusalCount, log: Log
    ) {
        let services = loopServices[0]
        loop = services.loop
        let system = SystemDatabase(services.system)
        jobs = JobWorker(on: loop, services.database, system: system, handlers: handlers, bell: services.bell, log: log)
        self.schedules = ScheduleKeeper(on: loop, system, schedules, worker: jobs.id, log: log)
        heartbeat = Heartbeat(
            loops: loopServices.map(\.loop), traces: loopServices.map(\.traces), store: ProcessStore(system),
            jobs: jobs, connections: connections, refusals: refusals, log: log)
    }

    /// Starts the work; called on the loop.
    func begin(while isOpen: @escaping @Sendable () -> Bool) {
        Task(executorPreference: loop) { await heartbeat.run(while: isOpen) }
        Task(executorPreference: loop) { await jobs.run() }
        Task(executorPreference: loop) { await schedules.run() }
    }

    /// Starts nothing more, and finishes or releases what is under way; called on the loop.
    func stop() async {
        await withTaskGroup { group in
            group.addTask(executorPreference: loop) { await jobs.stop(within: Self.timeout) }
            group.addTask(executorPreference: loop) { await schedules.stop(within: Self.timeout) }
        }
        await heartbeat.end()
    }
}
