import CPostgreSQL
import EventLoop

/// One connection in pipeline mode. Belongs to its loop's thread.
///
/// Statements are prepared the first time a connection sees their text, but for those that are for one time. Each request is one segment: its
/// statements, then a Sync; answers come back in order.
// @unchecked Sendable: touched on its loop's thread alone; tasks of that loop hand it to one another.
@safe final class Connection: @unchecked Sendable {
    enum State: Equatable {
        case connecting
        /// The server is there; whether the connection may be used is being asked.
        case checking
        case ready
        case closed
    }

    private(set) var state = State.closed
    private let loop: EventLoop
    private let options: [(key: String, value: String)]
    /// Where libpq looks up the server's name, which blocks; nil for the loop's own thread.
    private let lookups: BlockingPool?
    /// Yields true where the connection may be used, and what is wrong otherwise.
    private let check: (statement: SQL, complaint: String)?
    private var handle: OpaquePointer?
    private var watch: Watch?
    private var openedAt: Int64 = 0
    private var isWaitingToWrite = false
    private var segments = Queue<Segment>()
    private var statements: [String: String] = [:]
    private var statementCount = 0

    /// Called when the connection became ready, lost its server, or finished a segment.
    var onChange: (Connection) -> Void = { _ in }
    /// Why the connection was lost last.
    private(set) var lastProblem = "not connected yet"

    /// - Parameters: see `Database.Configuration.options`.
    init(
        loop: EventLoop,
        _ configuration: Database.Configuration,
        waitingForRows wait: Duration? = nil,
        within limit: Duration? = nil
    ) {
        self.loop = loop
        options = configuration.options(waitingForRows: wait, within: limit)
        lookups = configuration.lookups
        check = configuration.check.map { ($0, configuration.complaint) }
    }

    deinit {
        // A readiness that was fetched in the same turn must find nobody: the watch does not keep the connection.
        if loop.isCurrent { watch?.cancel() }
        unsafe PQfinish(handle)
    }

    /// How many segments are under way.
    var load: Int { segments.count }

    /// When what is under way should have ended; for a connection being opened, when that began.
    var oldestDeadline: Int64? {
        state == .connecting || state == .checking ? openedAt : segments.head?.deadline
    }

    /// Whether statements go over it and come back.
    private var isOpen: Bool { state == .ready || state == .checking }
}

// Connecting and losing.
extension Connection {
    /// Begins to connect; `onChange` tells how it went.
    func open() {
        state = .connecting
        openedAt = MonotonicTime.now()
        guard let lookups else { return proceed(Self.start(options)) }
        let beginning = openedAt
        Task(executorPreference: loop) { await self.lookUp(by: lookups, beginning) }
    }

    /// Begins to connect on another thread, and goes on here unless that was given up meanwhile, or begun anew.
    private func lookUp(by lookups: BlockingPool, _ beginning: Int64) async {
        let options = options
        do {
            let started = try await lookups.run { Self.start(options) }
            guard state == .connecting, openedAt == beginning else { return started.finish() }
            proceed(started)
        } catch {
            if openedAt == beginning { lose("\(error)") }
        }
    }

    /// A connection that libpq has begun to open, on its way between two threads.
    // @unchecked Sendable: one thread at a time has it.
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
        guard let handle = unsafe handle, unsafe PQstatus(handle) != CONNECTION_BAD else {
            return lose(problem())
        }
        unsafe pippin_silence_notices(handle)
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

    /// libpq may change its socket between two polls, so each wait is a new watch.
    private func wait(for interest: EventLoop.Readiness) {
        watch?.cancel()
        do {
            watch = unsafe try loop.watch(PQsocket(handle), for: interest) { [unowned self] _ in poll() }
        } catch {
            lose("\(error)")
        }
    }

    private func becomeReady(_ handle: OpaquePointer) {
        watch?.cancel()
        unsafe PQsetnonblocking(handle, 1)
        guard unsafe PQenterPipelineMode(handle) == 1 else { return lose(problem()) }
        do {
            watch = unsafe try loop.watch(PQsocket(handle), for: .read) { [unowned self] ready in
                exchange(ready)
            }
        } catch {
            return lose("\(error)")
        }
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
                let isSound = try? outcome.answer().firstValue { (row: inout Row) throws(PostgresFailure) in
                    try row.next(Bool.self)
                }
                guard isSound == true else { return lose(check.complaint) }
                state = .ready
            }
        }
    }

    /// Closes the connection and fails what was under way.
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
        guard let handle = unsafe handle, let text = unsafe PQerrorMessage(handle) else {
            return "out of memory"
        }
        let message = unsafe String(cString: text)
        return message.split(separator: "\n").first.map(String.init) ?? "connection failed"
    }
}

// Sending and receiving.
extension Connection {
    /// Sends `statements` and a Sync as one segment; the outcome is that of the last statement.
    func send(_ statements: [SQL], deadline: Int64, completion: @escaping (Segment.Outcome) -> Void) {
        send(Segment(statements, deadline: deadline, completion: completion))
    }

    private func send(_ segment: Segment) {
        guard let handle = unsafe handle, isOpen else {
            return segment.fail(.unavailable(lastProblem))
        }
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

    /// The empty name stands for the statement that the next one of that name replaces.
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
        // A segment ahead of it failed before it had prepared a statement of both, and nothing of this one happened.
        if segment.lacksStatement, segment.rewind() { return send(segment) }
        segment.complete()
    }
}
