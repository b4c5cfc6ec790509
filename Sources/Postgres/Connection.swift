import CPostgreSQL
import Core
import EventLoop
import Synchronization

/// A libpq connection in pipeline mode, used on its loop's thread only.
///
/// A statement is prepared when a connection first sends its text, and kept by name unless it is for one-time use
/// (`SQL.once()`). Each request is one segment: its statements, then a Sync; results arrive in order.
// @unchecked Sendable: used on its loop's thread alone; tasks of that loop pass it to one another.
@safe final class Connection: @unchecked Sendable {
    enum State: Equatable {
        case connecting
        /// Connected to the server; the settings of the session and its check are in progress.
        case checking
        case ready
        /// Finishes what is in progress, gets nothing new, and is closed then.
        case retired
        case closed
    }

    private(set) var state = State.closed
    /// The server of this connection; nil before the first attempt.
    private(set) var server: DatabaseServer?
    /// When that server started; nil before the first answer.
    private(set) var serverStart: Timestamp?
    private let loop: EventLoop
    private let configuration: DatabaseConfiguration
    private let settings: [(name: String, value: String)]
    private var handle: OpaquePointer?
    private var watch: Watch?
    /// Servers that are tried if this one does not answer.
    private var others: [DatabaseServer] = []
    private var hasOthers = false
    private var avoided: DatabaseServer?
    /// What went wrong with the servers tried since `open`.
    private var problems: [String] = []
    /// When the attempt, or the look-up of a server's name, began.
    private var attemptedAt: Int64 = 0
    private var attempt = 0
    private var isWaitingToWrite = false
    private var segments = Queue<Segment>()
    private var statements: [String: String] = [:]
    private var statementCount = 0

    /// Called when the connection became ready, was lost, or finished a segment.
    var onChange: (Connection) -> Void = { _ in }
    /// Why the connection was last lost.
    private(set) var lastProblem = "not connected yet"

    /// - Parameters: see `DatabaseConfiguration.settings`.
    init(
        loop: EventLoop, _ configuration: DatabaseConfiguration, waitingForRows wait: Duration? = nil,
        within limit: Duration? = nil
    ) {
        self.loop = loop
        self.configuration = configuration
        settings = configuration.settings(waitingForRows: wait, within: limit)
    }

    deinit {
        // The watch does not retain the connection, so readiness fetched in the same turn must not reach it.
        if loop.isCurrent { watch?.cancel() }
        unsafe PQfinish(handle)
    }

    /// Number of segments in progress.
    var load: Int { segments.count }

    /// Whether the server had no connection left for it (SQLSTATE 53300, which libpq tells in the message alone).
    var isRefusedAsFull: Bool { state == .closed && lastProblem.contains("53300: ") }

    /// When the oldest segment in progress was sent; nil if there is none.
    var waitsSince: Int64? { segments.head?.sentAt }

    /// Whether it is open for statements, or finishes some.
    var isUsed: Bool { state == .ready || state == .retired }

    /// Whether statements can be sent and their results received.
    private var isOpen: Bool { isUsed || state == .checking }

    /// Starts to connect to the servers in turn until one can be used; `onChange` reports the result.
    ///
    /// - Parameter server: a server that is not tried, since it is known to be silent.
    func open(avoiding server: DatabaseServer? = nil) {
        state = .connecting
        problems = []
        avoided = server
        others = configuration.servers.inTurn
        hasOthers = others.count > 1
        tryNext()
    }

    private func tryNext() {
        attempt += 1
        attemptedAt = MonotonicTime.now()
        guard !others.isEmpty else { return close(problems.joined(separator: "; ")) }
        let next = others.removeFirst()
        guard next != avoided else { return tryNext() }
        server = next
        guard next.isName else { return connect(to: next) }
        let attempt = attempt
        Task(executorPreference: loop) { await self.lookUp(next, attempt) }
    }

    /// Looks a server's name up on another thread, and continues here unless the attempt is over.
    private func lookUp(_ server: DatabaseServer, _ attempt: Int) async {
        do {
            let found =
                if let lookups = configuration.lookups { try await lookups.run { try server.lookUp() } } else {
                    try server.lookUp()
                }
            guard self.attempt == attempt else { return }
            let current = configuration.servers.current
            others = found.filter { $0 == current } + found.filter { $0 != current } + others
            hasOthers = hasOthers || others.count > 1
            tryNext()
        } catch { if self.attempt == attempt { fail("\(describing: error)") } }
    }

    private func connect(to server: DatabaseServer) {
        let options = configuration.options + server.options
        unsafe handle = unsafe CStringArray.with(options.map(\.key)) { keys in
            unsafe CStringArray.with(options.map(\.value)) { values in unsafe PQconnectStartParams(keys, values, 0) }
        }
        guard let handle = unsafe handle, unsafe PQstatus(handle) != CONNECTION_BAD else { return fail(problem()) }
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
        default: fail(problem())
        }
    }

    /// Waits with a new watch each time, because libpq may change its socket between two polls.
    private func wait(for interest: EventLoop.Readiness) {
        watch?.cancel()
        do { watch = unsafe try loop.watch(PQsocket(handle), for: interest) { [unowned self] _ in poll() } } catch {
            fail("\(describing: error)")
        }
    }

    private func becomeReady(_ handle: OpaquePointer) {
        watch?.cancel()
        unsafe PQsetnonblocking(handle, 1)
        guard unsafe PQenterPipelineMode(handle) == 1 else { return fail(problem()) }
        do {
            watch = unsafe try loop.watch(PQsocket(handle), for: .read) { [unowned self] ready in exchange(ready) }
        } catch { return fail("\(describing: error)") }
        state = .checking
        let settings = settings.map { "SELECT set_config(\($0.name), \($0.value), false)" as SQL }
        send(([Session.settings] + settings + [configuration.check]).map { $0.once() }, deadline: attemptedAt) {
            [unowned self] outcome in
            guard state == .checking else { return }
            do throws(PostgresFailure) {
                let (fault, process, start) = try outcome.answer().only { (row: inout Row) throws(PostgresFailure) in
                    (try row.next(String?.self), try row.next(Int.self), try row.next(Timestamp.self))
                }
                if let fault = fault.flatMap(SessionFault.init) { return fail(fault) }
                let isPooled = process != Int(unsafe PQbackendPID(self.handle))
                if isPooled, !DatabaseServers.poolerKeepsSessions.load(ordering: .relaxed) { return fail(.pooler) }
                (state, serverStart) = (.ready, start)
                if let server { configuration.servers.note(server, startedAt: start) }
            } catch { fail(error.cause) }
        }
    }

    /// Ends the attempt at a server, and begins one at the next; a connection that is open already is closed.
    private func fail(_ problem: String) {
        guard state == .connecting || state == .checking else { return close(problem) }
        problems.append(problem)
        state = .connecting
        disconnect(problem)
        tryNext()
    }

    /// Ends the attempt at a server whose sessions cannot be used, which tells more than one that is away.
    private func fail(_ fault: SessionFault) {
        problems.insert(fault.description, at: 0)
        state = .connecting
        disconnect(fault.description)
        tryNext()
    }

    /// Closes the connection and fails the segments in progress.
    func close(_ problem: String) {
        guard state != .closed else { return }
        state = .closed
        attempt += 1
        lastProblem = problem
        disconnect(problem)
        onChange(self)
    }

    private func disconnect(_ problem: String) {
        watch?.cancel()
        watch = nil
        unsafe PQfinish(handle)
        unsafe handle = nil
        statements = [:]
        isWaitingToWrite = false
        for segment in segments.drain() { segment.fail(.unavailable(problem)) }
    }

    /// Gives the connection nothing new, and closes it when nothing is in progress on it.
    func retire() {
        if state == .ready { state = .retired }
        guard state == .retired, segments.isEmpty, unsafe PQtransactionStatus(handle) == PQTRANS_IDLE else { return }
        close("the connection was retired")
    }

    /// Closes a connection whose work is past its deadline, and ends an attempt that takes too long.
    ///
    /// A server that enforces its own statement timeout would have answered by then.
    func expire(at now: Int64) {
        switch state {
        case .closed: break
        case .connecting, .checking:
            // A name server that does not answer takes the system's resolver five seconds, and then it asks the next.
            let limit =
                unsafe handle == nil ? configuration.timeout : configuration.connectTimeout(hasOthers: hasOthers)
            if attemptedAt + limit.nanoseconds < now {
                fail("database_silent: no answer in time" + (server.map { " from \($0)" } ?? ""))
            }
        case .ready, .retired:
            guard let deadline = segments.head?.deadline else { break }
            if deadline + configuration.grace.nanoseconds < now { close("database_silent: no answer in time") }
        }
    }

    private func problem() -> String {
        guard let handle = unsafe handle, let text = unsafe PQerrorMessage(handle) else { return "out of memory" }
        let message = unsafe String(cString: text)
        return message.split(separator: "\n").first.map(String.init) ?? "connection failed"
    }

    /// Sends `statements` and a Sync as one segment; the outcome has the rows of each statement.
    ///
    /// - Parameter isWhole: whether the segment is a transaction of its own.
    func send(
        _ statements: [SQL], deadline: Int64, isWhole: Bool = true, completion: @escaping (Segment.Outcome) -> Void
    ) { send(Segment(statements, deadline: deadline, isWhole: isWhole, completion: completion)) }

    private func send(_ segment: Segment) {
        guard let handle = unsafe handle, isOpen else { return segment.fail(.unavailable(lastProblem)) }
        segment.sentAt = MonotonicTime.now()
        segments.append(segment)
        for statement in segment.statements {
            guard unsafe queue(statement, in: segment, on: handle) else { return fail(problem()) }
        }
        guard unsafe PQpipelineSync(handle) == 1 else { return fail(problem()) }
        unsafe flush(handle)
    }

    private func queue(_ statement: SQL, in segment: Segment, on handle: OpaquePointer) -> Bool {
        if statement.isKept, let name = statements[statement.text] {
            segment.commands.append(.execute)
            return unsafe statement.parameters.execute(name, on: handle)
        }
        #if DEBUG
            StatementNotes.note(statement, as: configuration.role)
        #endif
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
        if left < 0 { return fail(problem()) }
        let mustWait = left == 1
        if mustWait != isWaitingToWrite {
            isWaitingToWrite = mustWait
            watch?.change(to: mustWait ? [.read, .write] : .read)
        }
    }

    private func exchange(_ ready: EventLoop.Readiness) {
        guard let handle = unsafe handle else { return }
        guard unsafe PQconsumeInput(handle) == 1 else { return fail(problem()) }
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
        if isOpen, unsafe PQstatus(handle) == CONNECTION_BAD { return fail(problem()) }
        if state == .retired { retire() }
        if finished, isUsed { onChange(self) }
    }

    private func finish(_ segment: Segment) {
        _ = segments.popFirst()
        for text in segment.unprepared { statements[text] = nil }
        switch segment.effect {
        case .none: break
        case .lost: return lose(segment)
        case .readOnly, .damaged: if state == .ready { state = .retired }
        case .staleStatement:
            // An earlier segment failed before it prepared a statement of both, or a migration changed what one yields.
            // Nothing of this segment was kept.
            for statement in segment.statements { statements[statement.text] = nil }
            if segment.isWhole, segment.rewind() { return send(segment) }
        }
        segment.complete()
    }

    private func lose(_ segment: Segment) {
        if state == .ready { state = .retired }
        let attempt = attempt
        segment.complete()
        if self.attempt == attempt, isOpen { fail("the server closed the connection") }
    }
}
