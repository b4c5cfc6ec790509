public import Core
public import Crypto
public import EventLoop
public import Postgres

/// Runs the jobs of all teams on one loop, a limited number at a time.
///
/// Each process has one worker; the workers share the queue by claiming jobs from it.
// @unchecked Sendable: all state is accessed on the loop's thread only; `Task`s started here run there.
public final class JobWorker: @unchecked Sendable {
    /// Limits and intervals of a worker.
    public struct Options: Sendable {
        /// Maximum number of jobs running at once, without recurring ones; a quarter of the places is for urgent jobs and
        /// the rest for normal ones, and a team that holds more places than are free gets no more.
        public var concurrency = 32
        /// Maximum number of urgent jobs running at once.
        public var urgentPlaces: Int { max(1, concurrency / 4) }
        /// Number of places that each kind of job finds whatever the others do.
        public var placesOfKind = 2
        /// Duration of an attempt from which its failure counts as a remote server that never answered.
        public var hangTime = Duration.seconds(8)
        /// Number of such failures in a row from which a kind runs one job at a time, until an attempt ends otherwise.
        public var hangLimit = 3
        /// How long a claim lasts unless its worker renews it.
        public var lease = Duration.seconds(60)
        /// How often a worker renews a claim in the time that it lasts.
        public var renewalsPerLease = 3
        /// Maximum time between two polls of the queue.
        public var pollInterval = Duration.seconds(2)

        public init() {}
    }

    /// Places for jobs: those that all kinds of a priority share, and those of one kind when they are taken.
    private enum Place: Hashable {
        case shared(JobPolicy.Priority)
        case own(kind: String, JobPolicy.Priority)

        var priority: JobPolicy.Priority {
            switch self {
            case .shared(let priority), .own(_, let priority): priority
            }
        }
    }

    private struct Running {
        let claim: JobClaim
        let priority: JobPolicy.Priority
        let task: Task<Void, Never>
    }

    /// A pass over the teams, from the first to the last, in as many polls as necessary.
    private struct Lap {
        /// The last team examined; nil at the beginning.
        var position: String?
        var hasFound = false
    }

    /// Result of one poll of the queue.
    private enum Look {
        /// At least one job was claimed.
        case taken
        /// No job was claimed, but there are teams left to examine.
        case unfinished
        /// There are no jobs to claim now.
        case over
    }

    private let loop: EventLoop
    private let claims: JobClaimStore
    private let ends: JobEndStore
    private let recurring: RecurringJobStore
    private var isDeclared = false
    private let handlers: JobHandlers
    private let options: Options
    private let log: Log
    /// Limits log lines about failed jobs, which any user can cause by the data or the notification endpoint they send.
    private let failures: RefusalLog
    private var running: [JobClaim.Key: Running] = [:]
    private var laps: [Place: Lap] = [:]
    /// Number of attempts in a row that a remote server never answered, by kind.
    private var hangs: [String: Int] = [:]
    private let pause: LoopPause
    private var isStopping = false
    /// Delays before the next polls, set by the queue's signal.
    private var eagerness: [Duration] = []
    /// Numbers of attempts that ended since the start, by result.
    public private(set) var counts = JobCounts()
    public let id: WorkerID

    public init(
        on loop: EventLoop, _ app: TeamDatabase, system: SystemDatabase, handlers: JobHandlers, bell: JobSignal,
        options: Options = Options(), log: Log
    ) {
        self.loop = loop
        id = WorkerID(random: .system)
        claims = JobClaimStore(system, worker: id, lease: options.lease)
        ends = JobEndStore(app)
        recurring = RecurringJobStore(app)
        self.handlers = handlers
        self.options = options
        self.log = log
        failures = RefusalLog(loop: loop, log: log)
        pause = LoopPause(on: loop)
        bell.connect(loop) { [weak self] in self?.wake() }
    }

    /// Claims and runs jobs until `stop`; call it as a task of the loop.
    public func run() async {
        Task(executorPreference: loop) { await self.keepLeases() }
        while !isStopping {
            if !isDeclared { await declare() }
            await takeAll()
            await pause.wait(for: nextLook())
        }
    }

    /// Claims no more jobs, waits for those under way, and releases those that have not ended in time.
    ///
    /// Call it on the loop.
    public func stop(within timeout: Duration) async {
        isStopping = true
        pause.end()
        let deadline = MonotonicTime.now() + timeout.nanoseconds
        while !running.isEmpty, MonotonicTime.now() < deadline { await loop.sleep(for: .milliseconds(20)) }
        guard !running.isEmpty else { return }
        for job in running.values { job.task.cancel() }
        let left = running.values.map(\.claim)
        running = [:]
        do { try await claims.release(left) } catch {
            log(.warning, "jobs.release_failed", ("cause", "\(describing: error)"))
        }
    }

    /// Polls the queue now and several more times, because the signal may come before its transaction commits.
    func wake() {
        eagerness = [.milliseconds(5), .milliseconds(25), .milliseconds(125), .milliseconds(600)]
        pause.end()
    }

    /// Stores the recurring jobs of this process; tried again while the database is away.
    private func declare() async {
        do {
            for job in handlers.recurring { try await recurring.declare(job.kind, every: job.interval) }
            isDeclared = true
        } catch { log(.warning, "jobs.declare_failed", ("cause", "\(describing: error)")) }
    }

    /// Number of jobs that hold places.
    private var load: Int { running.values.count { $0.priority != .recurring } }

    private func nextLook() -> Duration {
        guard load < options.concurrency, !eagerness.isEmpty else {
            return options.pollInterval * Double.random(in: 0.75...1)
        }
        return eagerness.removeFirst()
    }
}

// Claiming.
extension JobWorker {
    /// Fills the free places, until a pass over all teams has found no more jobs.
    ///
    /// Places whose pass is over are polled for again only after others have claimed a job; otherwise two of them could
    /// restart each other forever.
    private func takeAll() async {
        let places = JobPolicy.Priority.allCases.map(Place.shared) + handlers.queued.map(Place.own)
        var left = places
        while !left.isEmpty {
            var (hasTaken, unfinished) = (false, [Place]())
            for place in left {
                switch await take(place) {
                case .taken: hasTaken = true
                case .unfinished: unfinished.append(place)
                case .over: break
                }
            }
            guard load < options.concurrency else { return }
            left = hasTaken ? places : unfinished
        }
    }

    /// Claims jobs for the free places by one poll.
    private func take(_ place: Place) async -> Look {
        let room = room(for: place)
        guard room > 0, !isStopping else { return .over }
        var lap = laps[place] ?? Lap()
        let sated = place.priority == .recurring ? [] : held(place).filter { $0.value > room }.map(\.key)
        do {
            let taken = try await claims.claim(
                place.priority, of: kinds(of: place), after: lap.position ?? "", except: sated, limit: room)
            for claim in taken.claims { begin(claim, place.priority) }
            lap.position = taken.reached
            if !taken.claims.isEmpty { lap.hasFound = true }
            laps[place] = taken.reached == nil ? nil : lap
            if !taken.claims.isEmpty { return .taken }
            // After a pass that found jobs, the same teams may have more.
            return taken.reached != nil || lap.hasFound ? .unfinished : .over
        } catch {
            if !isStopping { log(.warning, "jobs.take_failed", ("cause", "\(describing: error)")) }
            return .over
        }
    }

    private func isHanging(_ kind: String) -> Bool { hangs[kind, default: 0] >= options.hangLimit }

    private func kinds(of place: Place) -> [String] {
        if case .own(let kind, _) = place { [kind] } else { handlers.kinds.filter { !isHanging($0) } }
    }

    /// Number of places that are free for the next jobs of a kind, of those that it finds in any case.
    private func reserve(of kind: String) -> Int {
        max(0, (isHanging(kind) ? 1 : options.placesOfKind) - running.values.count { $0.claim.kind == kind })
    }

    /// Number of free places of a priority; recurring jobs have one each.
    ///
    /// Remote servers that never respond may occupy places, each for the timeout of its jobs: mail is urgent, and does not
    /// keep notifications to apps from their places, nor they mail.
    private func free(_ priority: JobPolicy.Priority) -> Int {
        let free = options.concurrency - load
        let running = running.values.count { $0.priority == priority }
        switch priority {
        case .urgent: return min(free, options.urgentPlaces - running)
        case .normal: return min(free, options.concurrency - options.concurrency / 4 - running)
        case .recurring: return handlers.recurring.count - running
        }
    }

    /// Number of jobs that may be claimed now; a kind has places of its own only where the shared ones are not for it.
    private func room(for place: Place) -> Int {
        let free = free(place.priority)
        switch place {
        case .shared(let priority):
            return free - handlers.queued.reduce(0) { $0 + ($1.priority == priority ? reserve(of: $1.kind) : 0) }
        case .own(let kind, let priority):
            return isHanging(kind) || room(for: .shared(priority)) <= 0 ? min(free, reserve(of: kind)) : 0
        }
    }

    /// Number of running jobs in such places, by team.
    private func held(_ place: Place) -> [TeamID: Int] {
        running.values.reduce(into: [:]) { held, job in
            if case .own(let kind, _) = place, kind != job.claim.kind { return }
            if job.priority == place.priority { held[job.claim.team, default: 0] += 1 }
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

    /// Whether to poll the queue now that a job has ended: not after each job, so that one poll fills several places.
    private func isWorthLook(after team: TeamID, _ priority: JobPolicy.Priority) -> Bool {
        guard priority != .recurring else { return false }
        let held = held(.shared(priority))
        guard held[team, default: 0] <= free(priority) else { return false }
        // A team with many jobs may hold its places for long, so the other teams share what is left.
        let long = held.values.filter { $0 >= JobClaimStore.turn }.reduce(0, +)
        return load - long <= (options.concurrency - long) / 2
    }

    /// Whether this attempt is the one that runs, because a lost job may have been claimed again meanwhile.
    private func isRunning(_ claim: JobClaim) -> Bool { running[claim.key]?.claim.attempt == claim.attempt }

    /// Renews the leases of running jobs, and cancels the tasks of jobs that this worker no longer holds.
    private func keepLeases() async {
        while !isStopping {
            await loop.sleep(for: options.lease / options.renewalsPerLease)
            let mine = running.values.map(\.claim)
            guard !mine.isEmpty, !isStopping else { continue }
            do {
                let kept = try await claims.renew(mine)
                for claim in mine where !kept.contains(claim.key) { running[claim.key]?.task.cancel() }
            } catch { log(.warning, "jobs.renewal_failed", ("cause", "\(describing: error)")) }
        }
    }
}

// Running.
extension JobWorker {
    private func attempt(_ claim: JobClaim) async {
        guard let handler = handlers[claim.kind] else { return }
        let start = MonotonicTime.now()
        do {
            guard let payload = try await ends.payload(of: claim) else { return }
            let outcome = await perform(handler, payload, claim)
            // A stop has released it, and what it broke off does not count.
            guard isRunning(claim) else { return }
            let duration = Duration.nanoseconds(MonotonicTime.now() - start)
            let hangs = outcome.problem != nil && duration >= options.hangTime
            self.hangs[claim.kind] = hangs ? self.hangs[claim.kind, default: 0] + 1 : 0
            if try await ends.end(claim, outcome, handler, after: duration, spread: Double.random(in: 0..<1)) {
                note(outcome, claim, handler)
            }
        } catch {
            // The lease ends by itself, and the job is claimed again.
            if !isStopping {
                log(.warning, "job.end_failed", ("job", claim.id.rawValue), ("cause", "\(describing: error)"))
            }
        }
    }

    private func perform(_ handler: JobHandlers.Handler, _ payload: [UInt8], _ claim: JobClaim) async -> JobOutcome {
        // No attempt reached its end, probably because each killed its worker; another one would kill the next.
        guard claim.attempt <= handler.policy.attempts else { return .refused("no attempt came to its end") }
        let limit = loop.schedule(after: handler.policy.timeout) { [weak self] in
            if let self, isRunning(claim) { running[claim.key]?.task.cancel() }
        }
        defer { limit.cancel() }
        do { return try await handler.perform(payload, JobRun(claim: claim, policy: handler.policy)) } catch {
            if let unreadable = error as? UnreadableJob {
                failures(
                    .warning, "job.unreadable", of: claim.team.rawValue, for: claim.kind, ("job", claim.id.rawValue),
                    ("kind", claim.kind), ("cause", unreadable.problem))
                return unreadable.outcome(of: claim)
            }
            guard let failure = error as? PostgresFailure, failure.isWaitForLock else {
                return .failed("\(describing: error)")
            }
            // Somebody reads a table for long, such as a backup: nothing is broken, and the next turn comes.
            log(.info, "job.postponed", ("kind", claim.kind), ("cause", failure.cause))
            return .postponed(handler.interval ?? handler.policy.firstDelay)
        }
    }

    private func note(_ outcome: JobOutcome, _ claim: JobClaim, _ handler: JobHandlers.Handler) {
        let recurs = handler.interval != nil
        let isDead = !recurs && outcome.isDeath(at: claim.attempt, handler.policy)
        if !recurs { counts.note(outcome, isDead: isDead) }
        guard let problem = outcome.problem else { return }
        failures(
            isDead || recurs ? .warning : .info, isDead ? "job.dead" : "job.failed", of: claim.team.rawValue,
            for: claim.kind, ("job", claim.id.rawValue), ("kind", claim.kind), ("team", claim.team.rawValue),
            ("attempt", String(claim.attempt)), ("cause", problem))
    }
}

/// The id of a worker: random, because processes and machines may share any other name.
public struct WorkerID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) { self.rawValue = rawValue }

    public init(random: RandomSource) { rawValue = random.text(13, from: .readable) }

    public var description: String { rawValue }
}
