import Domain
import EventLoop
import Jobs
import Log
import Operations

/// What a process does beside its requests: the jobs of all teams, and the schedules of the installation.
struct BackgroundWork: Sendable {
    /// How long what is under way may take once the server is told to stop.
    private static let patience = Duration.seconds(10)

    private let loop: EventLoop
    private let jobs: JobWorker
    private let schedules: ScheduleKeeper
    private let heartbeat: Heartbeat

    /// - Parameter workers: those of the process; the first does the work.
    init(
        on workers: [Worker],
        handlers: JobHandlers,
        schedules: [Schedule],
        connections: ConnectionWatch,
        refusals: RefusalCount,
        log: Log
    ) {
        let worker = workers[0]
        loop = worker.loop
        let system = SystemDatabase(worker.system)
        jobs = JobWorker(
            on: loop,
            TeamDatabase(worker.app),
            system: system,
            handlers: handlers,
            bell: worker.bell,
            log: log
        )
        self.schedules = ScheduleKeeper(on: loop, system, schedules, worker: jobs.id, log: log)
        heartbeat = Heartbeat(
            loops: workers.map(\.loop),
            flows: workers.map(\.flows),
            store: ProcessStore(system),
            jobs: jobs,
            connections: connections,
            refusals: refusals,
            log: log
        )
    }

    /// Begins; called on the loop.
    func begin(while isOpen: @escaping @Sendable () -> Bool) {
        Task(executorPreference: loop) { await heartbeat.run(while: isOpen) }
        Task(executorPreference: loop) { await jobs.run() }
        Task(executorPreference: loop) { await schedules.run() }
    }

    /// Takes nothing more, and finishes what is under way or gives it back; called on the loop.
    func stop() async {
        await withTaskGroup { group in
            group.addTask(executorPreference: loop) { await jobs.stop(within: Self.patience) }
            group.addTask(executorPreference: loop) { await schedules.stop(within: Self.patience) }
        }
        await heartbeat.end()
    }
}
