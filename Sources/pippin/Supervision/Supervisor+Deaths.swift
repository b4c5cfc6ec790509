import CLinux
import Core
import Glibc

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
            return logDeath("worker.change_failed", of: worker, end)
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
        kill()
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
