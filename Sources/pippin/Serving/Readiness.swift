import Core
import EventLoop
import HTTP
import OAuth
import Platform
import Postgres
import Synchronization

/// Whether this process can serve, and what keeps it from it.
///
/// The watch of the registries tells it what it reads; besides it writes a row every two seconds and looks at the walls of
/// the schema every minute.
final class Readiness: Sendable {
    static let writeInterval = Duration.seconds(2)
    private static let shapeInterval = Duration.seconds(60)

    private struct State {
        var facts = ReadinessFacts()
        var seen = DatabaseObservations(at: MonotonicTime.now())
        var holding: [(condition: ReadinessCondition, weight: ReadinessCondition.Weight)] = []
        /// Code of the log's last line, and its time; nil for a command, which logs none.
        var told: (code: String, at: Int64)?
        var lookedAt = MonotonicTime.now()
        /// Time since which there have been too few descriptors.
        var shortSince: Int64?
        /// Server whose walls were looked at, and when.
        var shape: (server: Timestamp?, at: Int64) = (nil, 0)
        var write: (isUnderWay: Bool, at: Int64) = (false, 0)
        var unconnected: [Int: String] = [:]
    }

    private let state = Mutex(State())
    private let server: ServerContext
    private let log: Log

    /// - Parameter schema: what this release asks of the schema.
    init(schema: SchemaRequirement, server: ServerContext, log: Log) {
        (self.server, self.log) = (server, log)
        note { ($0.schema, $0.hasServed) = (schema, false) }
    }

    /// The answer to `/readyz`.
    var response: Response {
        let condition = state.withLock { $0.holding.first { $0.weight == .unready }?.condition }
        var response = Response.text("ready\n")
        if let condition {
            response = .text("\(condition.code.rawValue): \(condition.sentence)\n", status: .serviceUnavailable)
            response.append(.retryAfter, "2")
        }
        response.append(.cacheControl, "no-store")
        return response
    }

    /// The conditions that hold.
    var codes: [ReadinessCode] { state.withLock { $0.holding.map(\.condition.code) } }

    /// Changes facts that others know.
    func note(_ change: (inout ReadinessFacts) -> Void) {
        state.withLock { change(&$0.facts) }
        judge()
    }

    /// Notes a read of the registry watch.
    func observe(_ outcome: Result<DatabaseFacts, PostgresFailure>) {
        let (now, clock) = (MonotonicTime.now(), server.clock())
        state.withLock { state in
            switch outcome {
            case .success(let facts):
                server.gate.isClosed = facts.isCopy
                (state.seen.answeredAt, state.seen.failures, state.seen.problem) = (now, 0, "")
                (state.facts.database, state.facts.clockDifference) = (facts, clock - facts.clock)
            case .failure(let failure):
                (state.seen.failures, state.seen.problem) = (state.seen.failures + 1, failure.problem)
            }
        }
    }

    /// Forgives a time in which the process was suspended and could not look.
    func forgive() { state.withLock { $0.seen.forgive(at: MonotonicTime.now()) } }

    /// Whether the database has not answered for a time.
    func isSilent(for time: Duration) -> Bool {
        state.withLock { MonotonicTime.now() - $0.seen.answeredAt >= (time + RegistryWatch.interval).nanoseconds }
    }

    /// Judges what is known, and logs a change.
    private func judge() {
        let now = MonotonicTime.now()
        let change = state.withLock { state -> (from: String, to: String, lasted: Int64)? in
            state.facts.trouble = state.seen.trouble(at: now)
            if state.facts.database != nil, state.facts.trouble == nil, state.unconnected.isEmpty {
                state.facts.hasServed = true
            }
            state.holding = ReadinessCondition.holding(state.facts)
            let code = state.holding.first?.condition.code.rawValue ?? "ready"
            guard let told = state.told, code != told.code else { return nil }
            state.told = (code, now)
            return (told.code, code, now - told.at)
        }
        guard let change else { return }
        log(
            change.to == "ready" ? .info : .warning, "readiness.changed", ("from", change.from), ("to", change.to),
            ("lasted-milliseconds", String(change.lasted / 1_000_000)))
    }
}

// The looks.
extension Readiness {
    /// What is looked at: the loops with their connections, the watching connection, and this process in the database.
    struct Subjects: Sendable {
        let loops: [LoopServices]
        let watching: Database
        let processes: ProcessStore
        let status: DatabaseStatusStore
        /// Name of this process in its heartbeat.
        let id: String
        /// Whether the data directory can be written; nil if nobody says so.
        let folder: @Sendable () -> Bool?
    }

    /// Looks until the process stops; a task of the first loop.
    func run(_ subjects: Subjects, while isOpen: @Sendable () -> Bool) async {
        let loop = subjects.loops[0].loop
        let now = MonotonicTime.now()
        state.withLock { $0.seen.forgive(at: now) }
        state.withLock { $0.told = (ReadinessCode.starting.rawValue, now) }
        while isOpen() {
            look(subjects, on: loop)
            judge()
            await loop.sleep(for: RegistryWatch.interval)
        }
    }

    /// Looks once, for a command.
    func lookOnce(_ subjects: Subjects) async {
        do throws(PostgresFailure) { observe(.success(try await subjects.status.facts())) } catch {
            for _ in 0..<DatabaseObservations.many { observe(.failure(error)) }
        }
        // A write that fails counts at once.
        state.withLock { $0.seen.writtenAt = .min / 2 }
        await write(subjects)
        await examineShape(subjects)
        judge()
    }

    private func look(_ subjects: Subjects, on loop: EventLoop) {
        let now = MonotonicTime.now()
        let (problem, isWatching) = (subjects.watching.problem, subjects.watching.isReady)
        for (index, services) in subjects.loops.enumerated() {
            services.loop.execute { [self] in
                let problem = services.missingConnection
                state.withLock { $0.unconnected[index] = problem }
            }
        }
        let folder = subjects.folder()
        let (writes, examines) = state.withLock { state in
            if now - state.lookedAt > DatabaseObservations.limit { state.seen.forgive(at: now) }
            state.lookedAt = now
            if !isWatching, !problem.isEmpty { state.seen.problem = problem }
            state.seen.unconnected = state.unconnected.isEmpty ? 0 : state.seen.unconnected + 1
            state.seen.poolProblem = state.unconnected.values.first ?? ""
            if let folder { state.facts.isFolderWritable = folder }
            let writes = !state.write.isUnderWay && now - state.write.at >= Self.writeInterval.nanoseconds
            if writes { state.write = (true, now) }
            let server = state.facts.database?.serverStart
            let examines =
                server != nil
                && (server != state.shape.server || now - state.shape.at >= Self.shapeInterval.nanoseconds)
            if examines { state.shape = (server, now) }
            return (writes, examines)
        }
        if writes { Task(executorPreference: loop) { await self.write(subjects) } }
        if examines { Task(executorPreference: loop) { await self.examineShape(subjects) } }
    }

    /// Writes a row, which also shows a server that has become read-only, is full, or waits for its standby.
    private func write(_ subjects: Subjects) async {
        countDescriptors()
        do throws(PostgresFailure) {
            try await subjects.processes.probe(subjects.id)
            state.withLock { ($0.seen.writtenAt, $0.seen.writeProblem) = (MonotonicTime.now(), "") }
            try await compareClocks(subjects)
        } catch { state.withLock { $0.seen.writeProblem = error.problem } }
        state.withLock { $0.write.isUnderWay = false }
    }

    private func compareClocks(_ subjects: Subjects) async throws(PostgresFailure) {
        guard state.withLock({ ($0.facts.clockDifference / .seconds(1)).magnitude > 5 }) else {
            return state.withLock { $0.facts.othersAgree = false }
        }
        let others = try await subjects.processes.list().filter { $0.isAlive && $0.beat.id != subjects.id }
        let agree = others.contains { ($0.clockSkew / .seconds(1)).magnitude <= 5 }
        state.withLock { $0.facts.othersAgree = agree }
    }

    private func examineShape(_ subjects: Subjects) async {
        let fault: String?
        do throws(PostgresFailure) { fault = try await subjects.status.shapeFault() } catch {
            // Another failure is seen by the other looks.
            guard case .refused(let refusal) = error, refusal.sqlState == "42883" else { return }
            fault = refusal.message
        }
        let isNew = state.withLock { state in
            defer { state.facts.shapeFault = fault }
            return fault != nil && state.facts.shapeFault != fault
        }
        if isNew { log(.error, "readiness.shape", ("fault", fault)) }
    }

    private func countDescriptors() {
        let (now, free) = (MonotonicTime.now(), Descriptors.limit - Descriptors.count)
        state.withLock { state in
            state.facts.freeDescriptors = free
            state.shortSince = free < ReadinessCondition.fewestDescriptors ? state.shortSince ?? now : nil
            state.facts.shortage = .nanoseconds(state.shortSince.map { now - $0 } ?? 0)
        }
    }
}

extension PostgresFailure {
    /// Text from which `ReadinessCode` recognizes the cause; empty if there was no answer.
    fileprivate var problem: String {
        switch self {
        case .unavailable, .refused: cause
        case .unreadable: ReadinessCode.schemaOlder.rawValue
        case .timedOut, .searchTimedOut, .overloaded: ""
        }
    }
}
