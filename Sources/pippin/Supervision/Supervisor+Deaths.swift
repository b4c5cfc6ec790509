import CLinux
import Glibc
import HTTP
import Log

// Handling of workers that have ended.
extension Supervisor {
    /// Maximum number of lost requests that are logged for one death.
    private static let mostRequests = 200

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
        guard !worker.isReady, end.isRefusal else { return startAgain(after: worker, end) }
        logDeath("worker.refused", of: worker, end, because: Self.refusal)
        pause(afterLivingFor: .now - worker.begin)
    }

    private static let refusal =
        "the line above that begins with pippin: says what it was refused for; put that right, it is tried again until then"

    /// Stops after a refusal before any worker has served, as the worker has printed the reason; else starts another.
    private func endStart(of worker: WorkerProcess, _ end: WorkerProcess.End) {
        guard end.isRefusal || end == .status(ExitStatus.unavailable.code) else {
            return startAgain(after: worker, end)
        }
        stop(with: .refused(by: end))
    }

    private func startAgain(after worker: WorkerProcess, _ end: WorkerProcess.End) {
        pause(afterLivingFor: .now - worker.begin)
        // First the new worker, because finding the function names for the log takes time.
        startIfDue()
        logDeath("worker.died", of: worker, end)
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

    /// Logs one line for the death, and one for each request that was lost.
    private func logDeath(
        _ event: StaticString, of worker: WorkerProcess, _ end: WorkerProcess.End, because cause: String? = nil
    ) {
        let note = CrashNote(worker.page)
        let lost = worker.lostRequests(note)
        var (signal, status): (String?, String?) = (nil, nil)
        switch end {
        case .signal(let number): signal = Self.name(of: note?.signal ?? number)
        case .status(let number): status = String(number)
        }
        log(
            .error, event, ("pid", String(worker.process)), ("signal", signal), ("status", status), ("cause", cause),
            ("uptime-milliseconds", String((ContinuousClock.now - worker.begin).milliseconds)),
            ("requests", String(lost.count)), ("thread", note?.thread), ("place", note?.place),
            ("frames", note?.frames.joined(separator: " < ")))
        for request in lost.prefix(Self.mostRequests) {
            log(
                .warning, "request.lost", ("request", request.id.description),
                ("method", request.method.name.description), ("route", request.route))
        }
    }

    private static func name(of signal: Int32) -> String {
        let names = [
            SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE",
            SIGABRT: "SIGABRT", SIGSYS: "SIGSYS", SIGKILL: "SIGKILL", SIGTERM: "SIGTERM",
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
