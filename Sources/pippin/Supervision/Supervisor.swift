import CLinux
import Core
import EventLoop
import Glibc
import Postgres

/// Owns the listening sockets and the private PostgreSQL, and starts the workers that serve; it ends last.
///
/// Its single thread waits for signals and runs no code that handles requests.
final class Supervisor {
    static let endings = [SIGTERM, SIGINT]
    /// Signals blocked here, and in each worker until it sets up its own.
    static let signals = endings + [SIGHUP, SIGCHLD, SIGTSTP, WorkerLink.handOver]
    /// Interval between checks of the private PostgreSQL.
    private static let clusterInterval = Duration.milliseconds(250)
    /// Interval between looks whether the data directory can be written.
    private static let probeInterval = Duration.seconds(2)
    /// Time for a replacing worker to become ready, migrations included, which say themselves why they wait in vain.
    private static let successorLimit = LockRetry().limit + .seconds(300)

    /// Time between two beats of a loop, and between two ticks of the watchdog.
    static let beat = Duration.seconds(1)
    /// Ticks after an abort in which its backtrace is written.
    private static let backtraceTicks = 15

    let log: Log
    /// Ticks without a beat after which a worker is ended; 0 for never.
    private let watchdog: Int
    private var nextTick = ContinuousClock.now
    private let cluster: PrivateCluster?
    /// Data directory of the cluster; nil with an operator's database, where it may be read-only.
    private let folder: DataDirectory?
    private var nextProbe = ContinuousClock.now
    /// Listening sockets, one for each loop; empty when stopping.
    private var sockets: [Int32]
    private let program: Executable
    /// Whether it was started at a terminal, which sends SIGHUP when it closes.
    private let isAtTerminal = isatty(0) == 1
    /// The worker that serves, or is starting to.
    var serving: WorkerProcess?
    /// The worker that is starting to replace it.
    var successor: WorkerProcess?
    /// Whether SIGHUP came again while a worker was starting, which may have read what has changed since.
    private var mustReplaceAgain = false
    /// Workers that accept no new requests.
    var draining: [WorkerProcess] = []
    var backoff = Backoff()
    /// Time of the next start of a worker; nil while there is one.
    var nextStart: ContinuousClock.Instant? = .now
    /// Whether a worker has ever served.
    var hasServed = false
    private(set) var isStopping = false
    /// Exit status of the process; nil while it continues.
    var outcome: ExitStatus?
    /// Whether the database answered, according to the last worker.
    var databaseAnswers = true

    /// - Parameters:
    ///   - sockets: listening sockets, one for each loop.
    ///   - cluster: running cluster; nil with an operator's database.
    ///   - folder: data directory of the cluster.
    ///   - watchdog: seconds without a sign of life after which a worker is ended; 0 for never.
    init(_ sockets: [Int32], _ cluster: PrivateCluster?, in folder: DataDirectory?, watchdog: Int, log: Log) {
        (self.sockets, self.watchdog) = (sockets, watchdog)
        (self.cluster, self.folder) = (cluster, folder)
        self.log = log
        program = Executable()
    }

    /// Supervises until a signal ends it, or the first worker cannot serve with these settings.
    func run() throws(CommandFailure) -> ExitStatus {
        let arrivals = try SignalDescriptor(Self.signals)
        while true {
            startIfDue()
            wait(for: arrivals)
            while let signal = arrivals.next() { take(signal) }
            for worker in workers where worker.control >= 0 { worker.listen() }
            noteReadiness()
            reap()
            if mustReplaceAgain, successor == nil { replace() }
            tendCluster()
            watch()
            if let outcome, workers.isEmpty { return outcome }
        }
    }

    var workers: [WorkerProcess] { [serving, successor].compactMap { $0 } + draining }

    /// Stops serving; workers that have served finish their requests.
    ///
    /// - Parameter signal: SIGTERM to serve on for the time of `--drain`, SIGINT for an end at once.
    func stop(with status: ExitStatus, by signal: Int32 = SIGTERM) {
        isStopping = true
        (outcome, nextStart) = (outcome ?? status, nil)
        for socket in sockets { close(socket) }
        sockets = []
        for worker in [serving, successor].compactMap({ $0 }) { worker.send(signal) }
        if serving == nil { kill() }
    }

    /// Kills all workers.
    func kill() { for worker in workers { worker.send(SIGKILL) } }

    private func take(_ signal: Int32) {
        switch signal {
        case SIGHUP where !isAtTerminal: replace()
        case SIGTSTP: rest()
        case SIGTERM, SIGINT, SIGHUP:
            guard isStopping else { return stop(with: .success, by: signal == SIGTERM ? SIGTERM : SIGINT) }
            // A service manager may repeat SIGTERM; only a second Ctrl-C (SIGINT) kills at once.
            guard signal == SIGINT else { return }
            (outcome, databaseAnswers) = (.refused, false)
            kill()
        default: break
        }
    }

    /// Stops on Ctrl-Z until continued, with the workers, which the terminal does not reach in their own sessions.
    private func rest() {
        for worker in workers { worker.sendToAll(SIGSTOP) }
        // Without a shell to continue it, the kernel does not stop the process (POSIX, orphaned process groups).
        Signals.obey(SIGTSTP)
        for worker in workers { worker.sendToAll(SIGCONT) }
    }

    func startIfDue() {
        guard let due = nextStart, due <= .now else { return }
        nextStart = nil
        do throws(CommandFailure) {
            let worker = try WorkerProcess(program.path, sockets: sockets, isFirst: !hasServed)
            serving = worker
            log(hasServed ? .info : .debug, "worker.started", ("pid", String(worker.process)))
        } catch { pause(afterLivingFor: .zero, because: error.lines.first ?? "") }
    }

    func pause(afterLivingFor life: Duration, because cause: String? = nil) {
        let pause = backoff.pause(afterLivingFor: life)
        nextStart = .now + pause
        log(.warning, "worker.restarting", ("pause-milliseconds", String(pause.milliseconds)), ("cause", cause))
    }

    /// Starts the program that is now at this program's path, beside the serving worker.
    private func replace() {
        guard !isStopping else { return }
        mustReplaceAgain = successor != nil
        guard successor == nil else { return }
        do throws(CommandFailure) {
            let worker = try WorkerProcess(program.path, sockets: sockets, isFirst: false)
            successor = worker
            log(.info, "worker.change_begun", ("pid", String(worker.process)))
        } catch { log(.error, "worker.change_failed", ("cause", error.lines.first)) }
    }

    private func noteReadiness() {
        if serving?.isReady == true { hasServed = true }
        guard let worker = successor, !isStopping else { return }
        if worker.isReady {
            if let old = serving {
                draining.append(old)
                old.send(WorkerLink.handOver)
            }
            (serving, successor, nextStart, hasServed) = (worker, nil, nil, true)
            log(.info, "worker.changed", ("pid", String(worker.process)))
        } else if ContinuousClock.now - worker.begin > Self.successorLimit {
            worker.send(SIGKILL)
        }
    }

    private func tendCluster() {
        guard let cluster, !isStopping else { return }
        if let folder, nextProbe <= .now {
            nextProbe = .now + Self.probeInterval
            let isWritable = folder.isWritable
            for worker in workers where worker.isReady { worker.tell(isFolderWritable: isWritable) }
        }
        for event in cluster.look() {
            switch event {
            case .died: log(.warning, "database.died")
            case .started: log(.info, "database.started")
            case .replaced: log(.info, "database.replaced")
            case .notStarted(let failure): log(.error, "database.start_failed", ("cause", failure.description))
            }
        }
    }

    /// Ends a worker of which a loop has given no sign of life for too long, also one that drains or stops.
    ///
    /// Counted is the time in which this process was awake itself: a machine that is paused stops both, and Ctrl-Z.
    private func watch() {
        guard watchdog > 0, nextTick <= .now else { return }
        nextTick = .now + Self.beat
        for worker in workers {
            guard let (loop, missed) = worker.tick() else { continue }
            if missed == watchdog {
                log(
                    .error, "worker.hung", ("pid", String(worker.process)), ("loop", "loop-\(loop)"),
                    ("seconds", String(missed)))
                worker.abort(loop)
            }
            if missed >= watchdog + Self.backtraceTicks { worker.send(SIGKILL) }
        }
    }

    /// Waits for a signal, a message of a worker, or the next scheduled action.
    private func wait(for arrivals: borrowing SignalDescriptor) {
        var descriptors = ([arrivals.descriptor] + workers.map(\.control)).filter { $0 >= 0 }.map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        var pauses: [Duration] = []
        if cluster != nil, !isStopping { pauses.append(Self.clusterInterval) }
        if let nextStart { pauses.append(nextStart - .now) }
        if successor != nil { pauses.append(.seconds(1)) }
        if watchdog > 0 { pauses.append(nextTick - .now) }
        let pause = pauses.min().map { Int32(clamping: max(0, $0.milliseconds + 1)) } ?? -1
        unsafe poll(&descriptors, nfds_t(descriptors.count), pause)
    }
}

extension Duration {
    /// Whole milliseconds of the duration.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}

/// Path of this process's program, which may have been replaced by another file since the start.
private struct Executable {
    private static let own = "/proc/self/exe"
    private let place: String?

    init() {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = unsafe readlink(Self.own, &buffer, buffer.count - 1)
        place = count > 0 ? String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    /// The path to run: the program's original path, or this program itself if that is not executable.
    var path: String {
        guard let place, unsafe access(place, X_OK) == 0 else { return Self.own }
        return place
    }
}

/// File descriptor from which signals are read, for use with poll(2).
private struct SignalDescriptor: ~Copyable {
    let descriptor: Int32

    /// - Parameter signals: signals to read, which must be claimed before.
    init(_ signals: [Int32]) throws(CommandFailure) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        descriptor = unsafe pippin_signalfd_create(&set)
        guard descriptor >= 0 else { throw CommandFailure("the signals cannot be watched: \(SystemError.last)") }
    }

    deinit { close(descriptor) }

    /// Reads the next pending signal; nil if there is none.
    func next() -> Int32? {
        let signal = pippin_signalfd_next(descriptor)
        return signal == 0 ? nil : signal
    }
}

// Handling of workers that have ended.
extension Supervisor {
    /// Collects all children that have ended.
    ///
    /// These are workers, the private PostgreSQL, and, as the first process of a container, orphaned processes.
    func reap() {
        var status: Int32 = 0
        while case let process = pippin_ended_child(), process > 0 {
            let worker = workers.first { $0.process == process }
            // Before waitpid, while its process ID cannot be reused. Processes that it started would keep the sockets
            // open.
            worker?.sendToAll(SIGKILL)
            guard unsafe waitpid(process, &status, 0) == process else { return }
            guard let worker else { continue }
            // Reads its last messages.
            if worker.control >= 0 { worker.listen() }
            ended(worker, WorkerProcess.End(status))
        }
    }

    private func ended(_ worker: WorkerProcess, _ end: WorkerProcess.End) {
        if worker === successor {
            successor = nil
            return isStopping ? () : logDeath("worker.change_failed", of: worker, end)
        }
        if let index = draining.firstIndex(where: { $0 === worker }) {
            draining.remove(at: index)
            if end == .status(0) { return log(.info, "worker.drained", ("pid", String(worker.process))) }
            return isStopping ? () : logDeath("worker.died", of: worker, end)
        }
        serving = nil
        hasServed = hasServed || worker.isReady
        databaseAnswers = databaseAnswers && worker.databaseAnswers
        if isStopping { return endStop(of: worker, end) }
        guard hasServed else { return endStart(of: worker, end) }
        // A worker that has served was not refused, whatever its exit status: it may have been compromised.
        if !worker.isReady, end.isRefusal {
            logDeath("worker.refused", of: worker, end, because: Self.refusal)
        } else {
            logDeath("worker.died", of: worker, end)
        }
        pause(afterLivingFor: .now - worker.begin)
    }

    private static let refusal =
        "the line above that begins with pippin: says what it was refused for; put that right, it is tried again until then"

    /// Stops after a refusal before any worker has served, as the worker has printed the reason; else starts another.
    private func endStart(of worker: WorkerProcess, _ end: WorkerProcess.End) {
        if end.isRefusal || end == .status(ExitStatus.unavailable.code) { return stop(with: .refused(by: end)) }
        logDeath("worker.died", of: worker, end)
        pause(afterLivingFor: .now - worker.begin)
    }

    private func endStop(of worker: WorkerProcess, _ end: WorkerProcess.End) {
        if end != .status(0), outcome == .success {
            outcome = .refused
            if case .signal = end { logDeath("worker.died", of: worker, end) }
        }
        // A worker that never served needs no orderly shutdown of the database.
        if !worker.isReady { databaseAnswers = false }
        // One that has served may have requests under way, also one that was to take over just now.
        for worker in workers where !worker.isReady { worker.send(SIGKILL) }
    }

    private func logDeath(
        _ event: StaticString, of worker: WorkerProcess, _ end: WorkerProcess.End, because cause: String? = nil
    ) {
        var (signal, status): (String?, String?) = (nil, nil)
        switch end {
        case .signal(let number): signal = Self.name(of: number)
        case .status(let number): status = String(number)
        }
        log(
            .error, event, ("pid", String(worker.process)), ("signal", signal), ("status", status), ("cause", cause),
            ("uptime-milliseconds", String((ContinuousClock.now - worker.begin).milliseconds)))
    }

    private static func name(of signal: Int32) -> String {
        let names = [
            SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE",
            SIGABRT: "SIGABRT", SIGSYS: "SIGSYS", SIGKILL: "SIGKILL", SIGTERM: "SIGTERM", SIGALRM: "SIGALRM",
        ]
        return names[signal] ?? String(signal)
    }
}

extension ExitStatus {
    /// Exit status of the supervisor after a worker was refused.
    fileprivate static func refused(by end: WorkerProcess.End) -> ExitStatus {
        end == .status(usage.code) ? usage : refused
    }
}

/// Pause before a worker that died is started again.
///
/// The first two restarts are immediate; then the pause grows until a worker has lived for a minute.
struct Backoff {
    /// Lifetime after which a worker counts as well started, whatever ended it.
    private static let steady = Duration.seconds(60)
    private static let firstPause = Duration.milliseconds(500)
    private static let longestPause = Duration.seconds(30)

    private var deaths = 0

    /// Records a death.
    ///
    /// - Returns: the pause before the next start.
    mutating func pause(afterLivingFor life: Duration) -> Duration {
        if life >= Self.steady { deaths = 0 }
        defer { deaths += 1 }
        guard deaths >= 2 else { return .zero }
        return min(Self.firstPause * (1 << min(deaths - 2, 10)), Self.longestPause)
    }
}
