import CPostgreSQL
import EventLoop

/// A libpq connection in pipeline mode, used on its loop's thread only.
///
/// A statement is prepared when a connection first sends its text, and kept by name unless it is for one-time use
/// (`SQL.once()`). Each request is one segment: its statements, then a Sync; results arrive in order.
// @unchecked Sendable: used on its loop's thread alone; tasks of that loop pass it to one another.
@safe final class Connection: @unchecked Sendable {
    enum State: Equatable {
        case connecting
        /// Connected to the server; the statement of `check` is in progress.
        case checking
        case ready
        case closed
    }

    private(set) var state = State.closed
    private let loop: EventLoop
    private let options: [(key: String, value: String)]
    /// Pool that resolves the server's name, which blocks; nil to resolve it on the loop's thread.
    private let lookups: BlockingPool?
    /// A statement that yields the code of what is wrong with the connection, empty if it may be used, and the error
    /// to report otherwise.
    private let check: (statement: SQL, complaint: String)?
    private var handle: OpaquePointer?
    private var watch: Watch?
    private var openedAt: Int64 = 0
    private var isWaitingToWrite = false
    private var segments = Queue<Segment>()
    private var statements: [String: String] = [:]
    private var statementCount = 0

    /// Called when the connection became ready, was lost, or finished a segment.
    var onChange: (Connection) -> Void = { _ in }
    /// Why the connection was last lost.
    private(set) var lastProblem = "not connected yet"

    /// - Parameters: see `DatabaseConfiguration.options`.
    init(
        loop: EventLoop, _ configuration: DatabaseConfiguration, waitingForRows wait: Duration? = nil,
        within limit: Duration? = nil
    ) {
        self.loop = loop
        options = configuration.options(waitingForRows: wait, within: limit)
        lookups = configuration.lookups
        check = configuration.check.map { ($0, configuration.complaint) }
    }

    deinit {
        // The watch does not retain the connection, so readiness fetched in the same turn must not reach it.
        if loop.isCurrent { watch?.cancel() }
        unsafe PQfinish(handle)
    }

    /// Number of segments in progress.
    var load: Int { segments.count }

    /// Deadline of the oldest segment in progress; while connecting, the time when connecting began.
    var oldestDeadline: Int64? { state == .connecting || state == .checking ? openedAt : segments.head?.deadline }

    /// Whether statements can be sent and their results received.
    private var isOpen: Bool { state == .ready || state == .checking }

    /// Starts to connect; `onChange` reports the result.
    func open() {
        state = .connecting
        openedAt = MonotonicTime.now()
        guard let lookups else { return proceed(Self.start(options)) }
        let beginning = openedAt
        Task(executorPreference: loop) { await self.lookUp(by: lookups, beginning) }
    }

    /// Starts to connect on another thread, and continues here unless the connection was closed or reopened meanwhile.
    private func lookUp(by lookups: BlockingPool, _ beginning: Int64) async {
        let options = options
        do {
            let started = try await lookups.run { Self.start(options) }
            guard state == .connecting, openedAt == beginning else { return started.finish() }
            proceed(started)
        } catch { if openedAt == beginning { lose("\(error)") } }
    }

    /// A connection that libpq has started to open, passed from one thread to another.
    // @unchecked Sendable: one thread at a time uses it.
    @safe private struct Started: @unchecked Sendable {
        let handle: OpaquePointer?

        func finish() { unsafe PQfinish(handle) }
    }

    private static func start(_ options: [(key: String, value: String)]) -> Started {
        unsafe CStringArray.with(options.map(\.key)) { keys in
            unsafe CStringArray.with(options.map(\.value)) { values in
                unsafe Started(handle: PQconnectStartParams(keys, values, 1))
            }
        }
    }

    private func proceed(_ started: Started) {
        unsafe handle = started.handle
        guard let handle = unsafe handle, unsafe PQstatus(handle) != CONNECTION_BAD else { return lose(problem()) }
        unsafe pippin_silence_notices(handle)
        // Failures to connect then name their SQLSTATE, which libpq has no other way to ask for.
        unsafe PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        wait(for: .write)
    }

    private func poll() {
        guard let handle = unsafe handle else { return }
        switch unsafe PQconnectPoll(handle) {
        case PGRES_POLLING_READING: wait(for: .read)
        case PGRES_POLLING_WRITING: wait(for: .write)
        case PGRES_POLLING_OK: unsafe becomeReady(handle)
        default: lose(problem())
        }
    }

    /// Waits with a new watch each time, because libpq may change its socket between two polls.
    private func wait(for interest: EventLoop.Readiness) {
        watch?.cancel()
        do { watch = unsafe try loop.watch(PQsocket(handle), for: interest) { [unowned self] _ in poll() } } catch {
            lose("\(error)")
        }
    }

    private func becomeReady(_ handle: OpaquePointer) {
        watch?.cancel()
        unsafe PQsetnonblocking(handle, 1)
        guard unsafe PQenterPipelineMode(handle) == 1 else { return lose(problem()) }
        do {
            watch = unsafe try loop.watch(PQsocket(handle), for: .read) { [unowned self] ready in exchange(ready) }
        } catch { return lose("\(error)") }
        guard let check else {
            state = .ready
            return onChange(self)
        }
        state = .checking
        send([check.statement], deadline: openedAt) { [unowned self] outcome in
            guard state == .checking else { return }
            switch outcome {
            case .failure(let failure): lose("\(failure)")
            case .success:
                let code: String? = try? outcome.answer().firstValue()
                guard code == "" else { return lose("\(code ?? "database_role"): \(check.complaint)") }
                state = .ready
            }
        }
    }

    /// Closes the connection and fails the segments in progress.
    func lose(_ problem: String) {
        guard state != .closed else { return }
        state = .closed
        lastProblem = problem
        watch?.cancel()
        watch = nil
        unsafe PQfinish(handle)
        unsafe handle = nil
        statements = [:]
        isWaitingToWrite = false
        for segment in segments.drain() { segment.fail(.unavailable(problem)) }
        onChange(self)
    }

    private func problem() -> String {
        guard let handle = unsafe handle, let text = unsafe PQerrorMessage(handle) else { return "out of memory" }
        let message = unsafe String(cString: text)
        return message.split(separator: "\n").first.map(String.init) ?? "connection failed"
    }

    /// Sends `statements` and a Sync as one segment; the outcome has the rows of each statement.
    func send(_ statements: [SQL], deadline: Int64, completion: @escaping (Segment.Outcome) -> Void) {
        send(Segment(statements, deadline: deadline, completion: completion))
    }

    private func send(_ segment: Segment) {
        guard let handle = unsafe handle, isOpen else { return segment.fail(.unavailable(lastProblem)) }
        segments.append(segment)
        for statement in segment.statements {
            guard unsafe queue(statement, in: segment, on: handle) else { return lose(problem()) }
        }
        guard unsafe PQpipelineSync(handle) == 1 else { return lose(problem()) }
        unsafe flush(handle)
    }

    private func queue(_ statement: SQL, in segment: Segment, on handle: OpaquePointer) -> Bool {
        if statement.isKept, let name = statements[statement.text] {
            segment.commands.append(.execute)
            return unsafe statement.parameters.execute(name, on: handle)
        }
        let name = name(for: statement)
        segment.commands.append(.prepare(text: statement.text))
        segment.commands.append(.execute)
        return unsafe statement.parameters.prepare(name, text: statement.text, on: handle)
            && statement.parameters.execute(name, on: handle)
    }

    /// Name to prepare a statement under; empty (the unnamed statement, replaced by the next) for one-time use.
    private func name(for statement: SQL) -> String {
        guard statement.isKept else { return "" }
        statementCount += 1
        let name = "s\(statementCount)"
        statements[statement.text] = name
        return name
    }

    private func flush(_ handle: OpaquePointer) {
        let left = unsafe PQflush(handle)
        if left < 0 { return lose(problem()) }
        let mustWait = left == 1
        if mustWait != isWaitingToWrite {
            isWaitingToWrite = mustWait
            watch?.change(to: mustWait ? [.read, .write] : .read)
        }
    }

    private func exchange(_ ready: EventLoop.Readiness) {
        guard let handle = unsafe handle else { return }
        guard unsafe PQconsumeInput(handle) == 1 else { return lose(problem()) }
        if isWaitingToWrite { unsafe flush(handle) }
        unsafe receive(handle)
    }

    private func receive(_ handle: OpaquePointer) {
        var finished = false
        while isOpen, let segment = segments.head, unsafe PQisBusy(handle) == 0 {
            let result = unsafe PQgetResult(handle)
            if let result = unsafe result, unsafe PQresultStatus(result) == PGRES_PIPELINE_SYNC {
                unsafe PQclear(result)
                finish(segment)
                finished = true
            } else {
                unsafe segment.take(result)
                segment.noteFailure()
            }
        }
        if isOpen, unsafe PQstatus(handle) == CONNECTION_BAD { return lose(problem()) }
        if finished, state == .ready { onChange(self) }
    }

    private func finish(_ segment: Segment) {
        _ = segments.popFirst()
        for text in segment.unprepared { statements[text] = nil }
        // An earlier segment failed before it prepared a statement of both, and nothing of this one was executed.
        if segment.lacksStatement, segment.rewind() { return send(segment) }
        segment.complete()
    }
}
