import CLinux
import EventLoop
import Glibc
import Log
import Postgres

/// Keeps the listening sockets and the private PostgreSQL, and has a worker serve: the process that ends last.
///
/// It runs no code that a request reaches, on one thread that waits for signals.
final class Supervisor {
    static let endings = [SIGTERM, SIGINT]
    /// Blocked here, and in each worker until that knows better.
    static let signals = endings + [SIGHUP, SIGCHLD, SIGTSTP, WorkerLink.handOver]
    /// How often the private PostgreSQL is looked after.
    private static let clusterInterval = Duration.milliseconds(250)
    /// How long a new worker may take at a change until it serves, migrations included.
    private static let successorLimit = Duration.seconds(600)

    let log: Log
    private let cluster: PrivateCluster?
    /// One for each loop; none once it stops.
    private var sockets: [Int32]
    private let program: Program
    /// Where a person has started it, whose terminal hangs up when they leave.
    private let isAtTerminal = isatty(0) == 1
    /// The one that serves, or shall.
    var serving: WorkerProcess?
    /// The one that is being started to take its place.
    var successor: WorkerProcess?
    /// Those that serve no new requests.
    var draining: [WorkerProcess] = []
    var backoff = Backoff()
    /// When a worker shall be started; nil while there is one.
    var nextStart: ContinuousClock.Instant? = .now
    /// Whether a worker has ever served.
    var hasServed = false
    private(set) var isStopping = false
    /// With what the process ends; nil as long as it goes on.
    var outcome: ExitStatus?
    /// Whether the database answered as far as the last worker knows.
    var databaseAnswers = true

    /// - Parameters:
    ///   - sockets: listen already, one for each loop.
    ///   - cluster: runs already; nil beside an operator's database.
    init(_ sockets: [Int32], _ cluster: PrivateCluster?, log: Log) {
        self.sockets = sockets
        self.cluster = cluster
        self.log = log
        program = Program()
    }

    /// Supervises until it is told to end, or the first worker cannot serve as it is set up.
    func run() throws(CommandFailure) -> ExitStatus {
        let arrivals = try SignalDescriptor(Self.signals)
        while true {
            startIfDue()
            wait(for: arrivals)
            while let signal = arrivals.next() { take(signal) }
            for worker in workers where worker.control >= 0 { worker.listen() }
            noteReadiness()
            reap()
            tendCluster()
            if let outcome, workers.isEmpty { return outcome }
        }
    }

    var workers: [WorkerProcess] { [serving, successor].compactMap { $0 } + draining }

    /// Nothing more is served; those that only finish what they had may do so as long as the last one takes.
    func stop(with status: ExitStatus) {
        isStopping = true
        (outcome, nextStart) = (outcome ?? status, nil)
        for socket in sockets { close(socket) }
        sockets = []
        for worker in [serving, successor].compactMap({ $0 }) { worker.send(SIGTERM) }
        if serving == nil { kill() }
    }

    /// Ends all workers at once.
    func kill() {
        for worker in workers { worker.send(SIGKILL) }
    }

    private func take(_ signal: Int32) {
        switch signal {
        case SIGHUP where !isAtTerminal: replace()
        case SIGTSTP: rest()
        case SIGTERM, SIGINT, SIGHUP:
            guard isStopping else { return stop(with: .success) }
            // A service manager may repeat itself; only a person who presses Ctrl-C again wants the end at once.
            guard signal == SIGINT else { return }
            (outcome, databaseAnswers) = (.refused, false)
            kill()
        default: break
        }
    }

    /// Stops as the terminal asks (Ctrl-Z), until it is continued; the workers are in sessions of their own.
    private func rest() {
        for worker in workers { worker.sendToAll(SIGSTOP) }
        // Not where nobody could continue it: the kernel knows (POSIX, orphaned process groups).
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
        } catch {
            pause(afterLivingFor: .zero, because: error.lines.first ?? "")
        }
    }

    func pause(afterLivingFor life: Duration, because cause: String? = nil) {
        let pause = backoff.pause(afterLivingFor: life)
        nextStart = .now + pause
        log(
            .warning,
            "worker.starts-again",
            ("pause-milliseconds", String(pause.milliseconds)),
            ("cause", cause)
        )
    }

    /// Starts the program that lies at its place now beside the worker that serves.
    private func replace() {
        guard !isStopping, successor == nil else { return }
        do throws(CommandFailure) {
            let worker = try WorkerProcess(program.path, sockets: sockets, isFirst: false)
            successor = worker
            log(.info, "worker.change-begun", ("pid", String(worker.process)))
        } catch {
            log(.error, "worker.change-failed", ("cause", error.lines.first))
        }
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
        for event in cluster.look() {
            switch event {
            case .died: log(.warning, "database.died")
            case .started: log(.info, "database.started")
            case .notStarted(let failure):
                log(.error, "database.not-started", ("cause", failure.description))
            }
        }
    }

    /// Sleeps until a signal comes, a worker tells something, or there is something to look after.
    private func wait(for arrivals: borrowing SignalDescriptor) {
        var descriptors = ([arrivals.descriptor] + workers.map(\.control)).filter { $0 >= 0 }.map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        var pauses: [Duration] = []
        if cluster != nil, !isStopping { pauses.append(Self.clusterInterval) }
        if let nextStart { pauses.append(nextStart - .now) }
        if successor != nil { pauses.append(.seconds(1)) }
        let pause = pauses.min().map { Int32(clamping: max(0, $0.milliseconds + 1)) } ?? -1
        unsafe poll(&descriptors, nfds_t(descriptors.count), pause)
    }
}

extension Duration {
    /// Whole milliseconds of it.
    var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}

/// The program of this process: where it lies, also when another one has come to lie there.
private struct Program {
    private static let own = "/proc/self/exe"
    private let place: String?

    init() {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = unsafe readlink(Self.own, &buffer, buffer.count - 1)
        place =
            count > 0
            ? String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    /// What to run: what lies there, else this program itself.
    var path: String {
        guard let place, unsafe access(place, X_OK) == 0 else { return Self.own }
        return place
    }
}

/// Signals as something to wait for beside other things.
private struct SignalDescriptor: ~Copyable {
    let descriptor: Int32

    /// - Parameter signals: claimed before.
    init(_ signals: [Int32]) throws(CommandFailure) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        descriptor = unsafe pippin_signalfd_create(&set)
        guard descriptor >= 0 else {
            throw CommandFailure("the signals cannot be watched: \(SystemError.last)")
        }
    }

    deinit { close(descriptor) }

    /// Takes one that has come.
    func next() -> Int32? {
        let signal = pippin_signalfd_next(descriptor)
        return signal == 0 ? nil : signal
    }
}
