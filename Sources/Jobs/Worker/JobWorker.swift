import Crypto
public import Domain
public import EventLoop
public import Log
import Postgres

/// Does the jobs of all teams, a bounded number at a time, on one loop.
///
/// There is one in each process; they share the work by taking it.
// @unchecked Sendable: all state is touched on the loop's thread alone; `Task`s started here live there.
public final class JobWorker: @unchecked Sendable {
    /// How a worker goes about it.
    public struct Options: Sendable {
        /// Jobs under way at once; a quarter of the places is kept for urgent ones, and a team that has more than are
        /// free gets no more.
        public var concurrency = 32
        /// How long a job stays taken without a sign of life of its worker.
        public var lease = Duration.seconds(60)
        /// The longest time between two looks at the queue.
        public var pollInterval = Duration.seconds(2)

        public init() {}
    }

    private struct Running {
        let claim: JobClaim
        let priority: JobPolicy.Priority
        let task: Task<Void, Never>
    }

    /// A walk over the teams, from the first to the last, by as many looks as that takes.
    private struct Lap {
        /// The team it has come to; nil at the beginning.
        var position: String?
        var hasFound = false
    }

    /// What a look at the queue came to.
    private enum Look {
        /// Something was taken.
        case taken
        /// Nothing was, yet there are teams to look at.
        case unfinished
        /// Nothing is to be had now.
        case over
    }

    private let loop: EventLoop
    private let claims: JobClaimStore
    private let ends: JobEndStore
    private let handlers: JobHandlers
    private let options: Options
    private let log: Log
    /// Anybody can cause jobs that fail, by what they post or where they have it told.
    private let failures: RefusalLog
    private var running: [JobClaim.Key: Running] = [:]
    private var laps: [JobPolicy.Priority: Lap] = [:]
    private let pause: LoopPause
    private var isStopping = false
    /// Looks at the queue still to come soon, after the bell rang.
    private var eagerness: [Duration] = []
    /// Jobs ended since the start, by how.
    public private(set) var counts = JobCounts()
    public let id: WorkerID

    public init(
        on loop: EventLoop,
        _ app: TeamDatabase,
        system: SystemDatabase,
        handlers: JobHandlers,
        bell: JobBell,
        options: Options = Options(),
        log: Log
    ) {
        self.loop = loop
        id = WorkerID(random: .system)
        claims = JobClaimStore(system, worker: id, lease: options.lease)
        ends = JobEndStore(app)
        self.handlers = handlers
        self.options = options
        self.log = log
        failures = RefusalLog(loop: loop, log: log)
        pause = LoopPause(on: loop)
        bell.connect(loop) { [weak self] in self?.wake() }
    }

    /// Takes and does jobs until `stop`; call it as a task of the loop.
    public func run() async {
        Task(executorPreference: loop) { await self.keepLeases() }
        while !isStopping {
            await takeAll()
            await pause.wait(for: nextLook())
        }
    }

    /// Takes nothing more, lets what is under way end, and gives back what has not ended in time.
    ///
    /// Called on the loop.
    public func stop(within patience: Duration) async {
        isStopping = true
        pause.end()
        let deadline = MonotonicTime.now() + patience.nanoseconds
        while !running.isEmpty, MonotonicTime.now() < deadline { await loop.sleep(for: .milliseconds(20)) }
        guard !running.isEmpty else { return }
        for job in running.values { job.task.cancel() }
        let left = running.values.map(\.claim)
        running = [:]
        do {
            try await claims.release(left)
        } catch {
            log(.warning, "jobs.not-released", ("cause", "\(error)"))
        }
    }

    /// Looks at the queue now, and again a few times: the bell may ring before its transaction commits.
    func wake() {
        eagerness = [.milliseconds(5), .milliseconds(25), .milliseconds(125), .milliseconds(600)]
        pause.end()
    }

    private func nextLook() -> Duration {
        guard running.count < options.concurrency, !eagerness.isEmpty else {
            return options.pollInterval * Double.random(in: 0.75...1)
        }
        return eagerness.removeFirst()
    }
}

// Taking.
extension JobWorker {
    /// Fills the free places, until a lap over all teams has found nothing more.
    ///
    /// A priority whose lap is over is looked at again once another one's has found something: otherwise two of them could
    /// have each other go on for ever.
    private func takeAll() async {
        var left = JobPolicy.Priority.allCases
        while !left.isEmpty {
            var (hasTaken, unfinished) = (false, [JobPolicy.Priority]())
            for priority in left {
                switch await take(priority) {
                case .taken: hasTaken = true
                case .unfinished: unfinished.append(priority)
                case .over: break
                }
            }
            guard running.count < options.concurrency else { return }
            left = hasTaken ? JobPolicy.Priority.allCases : unfinished
        }
    }

    /// Fills the free places by one look.
    private func take(_ priority: JobPolicy.Priority) async -> Look {
        let room = room(for: priority)
        guard room > 0, !isStopping else { return .over }
        var lap = laps[priority] ?? Lap()
        let sated = held(priority).filter { $0.value > room }.map(\.key)
        do {
            let taken = try await claims.claim(
                priority,
                of: handlers.kinds,
                after: lap.position ?? "",
                except: sated,
                limit: room
            )
            for claim in taken.claims { begin(claim, priority) }
            lap.position = taken.reached
            if !taken.claims.isEmpty { lap.hasFound = true }
            laps[priority] = taken.reached == nil ? nil : lap
            if !taken.claims.isEmpty { return .taken }
            // Where a lap has found something, there may be more of the same teams.
            return taken.reached != nil || lap.hasFound ? .unfinished : .over
        } catch {
            if !isStopping { log(.warning, "jobs.not-taken", ("cause", "\(error)")) }
            return .over
        }
    }

    /// Places that are free for jobs of a priority.
    ///
    /// Servers that never answer may hold all that are not urgent for as long as a notice waits.
    private func room(for priority: JobPolicy.Priority) -> Int {
        options.concurrency - (priority == .urgent ? 0 : options.concurrency / 4) - running.count
    }

    /// How many jobs of a priority each team has under way.
    private func held(_ priority: JobPolicy.Priority) -> [TeamID: Int] {
        running.values.reduce(into: [:]) { held, job in
            if job.priority == priority { held[job.claim.team, default: 0] += 1 }
        }
    }

    private func begin(_ claim: JobClaim, _ priority: JobPolicy.Priority) {
        let task = Task(executorPreference: loop) {
            await self.attempt(claim)
            if self.isRunning(claim) { self.running[claim.key] = nil }
            if self.isWorthLook(after: claim.team, priority) { self.pause.end() }
        }
        running[claim.key] = Running(claim: claim, priority: priority, task: task)
    }

    /// Whether to look at the queue now that a job has ended: not for each, since a look is worth several places.
    private func isWorthLook(after team: TeamID, _ priority: JobPolicy.Priority) -> Bool {
        let held = held(priority)
        guard held[team, default: 0] <= room(for: priority) else { return false }
        // Places of a team that has many may be held for long: the others share what is left.
        let long = held.values.filter { $0 >= JobClaimStore.turn }.reduce(0, +)
        return running.count - long <= (options.concurrency - long) / 2
    }

    /// Whether it is this attempt that runs: a job that was lost may have been taken again meanwhile.
    private func isRunning(_ claim: JobClaim) -> Bool {
        running[claim.key]?.claim.attempt == claim.attempt
    }

    /// Renews the leases of what is under way, and ends what is no longer this worker's.
    private func keepLeases() async {
        while !isStopping {
            await loop.sleep(for: options.lease / 3)
            let mine = running.values.map(\.claim)
            guard !mine.isEmpty, !isStopping else { continue }
            do {
                let kept = try await claims.renew(mine)
                for claim in mine where !kept.contains(claim.key) { running[claim.key]?.task.cancel() }
            } catch {
                log(.warning, "jobs.not-renewed", ("cause", "\(error)"))
            }
        }
    }
}

// Doing.
extension JobWorker {
    private func attempt(_ claim: JobClaim) async {
        guard let handler = handlers[claim.kind] else { return }
        do {
            guard let payload = try await ends.payload(of: claim) else { return }
            let outcome = await perform(handler, payload, claim)
            if try await ends.end(claim, outcome, handler.policy, spread: Double.random(in: 0..<1)) {
                note(outcome, claim, handler.policy)
            }
        } catch {
            // The lease ends by itself, and the job is taken again.
            if !isStopping {
                log(.warning, "job.not-ended", ("job", claim.id.rawValue), ("cause", "\(error)"))
            }
        }
    }

    private func perform(
        _ handler: JobHandlers.Handler,
        _ payload: [UInt8],
        _ claim: JobClaim
    ) async -> JobOutcome {
        // Its worker died so often that another try would only kill the next.
        guard claim.attempt <= handler.policy.attempts else { return .refused("no attempt came to its end") }
        let limit = loop.schedule(after: handler.policy.patience) { [weak self] in
            if let self, isRunning(claim) { running[claim.key]?.task.cancel() }
        }
        defer { limit.cancel() }
        do {
            return try await handler.perform(payload, JobRun(claim: claim, policy: handler.policy))
        } catch {
            return .failed("\(error)")
        }
    }

    private func note(_ outcome: JobOutcome, _ claim: JobClaim, _ policy: JobPolicy) {
        let isDead = outcome.isDeath(at: claim.attempt, policy)
        counts.note(outcome, isDead: isDead)
        guard let problem = outcome.problem else { return }
        failures(
            isDead ? .warning : .info,
            isDead ? "job.dead" : "job.failed",
            of: claim.team.rawValue,
            for: claim.kind,
            ("job", claim.id.rawValue),
            ("kind", claim.kind),
            ("team", claim.team.rawValue),
            ("attempt", String(claim.attempt)),
            ("cause", problem)
        )
    }
}
