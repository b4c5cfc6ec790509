public import EventLoop

/// What a statement runs under: a setting that lasts as long as its transaction, such as the team whose rows
/// row-level security shows.
public struct Setting: Equatable, Sendable {
    let statement: SQL

    /// - Parameter statement: a `SELECT set_config(…, true)`; local, so it ends with the transaction.
    public init(_ statement: SQL) {
        self.statement = statement
    }

    /// Whose work is done under it, such as the id of a team.
    var owner: String { String(decoding: statement.parameters.bytes, as: UTF8.self) }
}

/// The connections of one loop to one database under one role.
///
/// Statements share pipelined connections; transactions get one of their own, and so do searches and statements that wait
/// for a row, since on a shared connection everybody behind them would wait too. What is known to lock a row that somebody of this
/// loop is at waits before it gets any (`RowLines`). Everything is called on the loop, from its tasks.
// @unchecked Sendable: all state is touched on the loop's thread alone, which every entry checks.
public final class Database: @unchecked Sendable {
    private struct Waiting {
        let deadline: Int64
        let dispatch: (Connection) -> Void
        let fail: (PostgresFailure) -> Void
    }

    let loop: EventLoop
    let configuration: Configuration
    private var shared: [Connection] = []
    private var waiting = Queue<Waiting>()
    let exclusive: ExclusiveConnections
    private let patient: ExclusiveConnections
    let searching: ExclusiveConnections
    let rows: RowLines
    var joint = JointCommits()
    private(set) var isClosing = false
    private var lastSweep = MonotonicTime.now()
    private(set) var absence: Absence
    /// How often something was heard from the server.
    private var answerCount = 0
    /// Statements that were asked for so far, a transaction counted as one: what a page costs.
    public internal(set) var statementCount = 0

    /// Makes the database of `loop`; nothing is connected before `open`.
    public init(loop: EventLoop, configuration: Configuration) {
        self.loop = loop
        self.configuration = configuration
        absence = Absence(limit: configuration.absence)
        let make = {
            Connection(loop: loop, configuration)
        }
        exclusive = ExclusiveConnections(
            limit: configuration.exclusive,
            queue: configuration.exclusiveQueue,
            make: make
        )
        patient = ExclusiveConnections(
            limit: configuration.patient,
            queue: configuration.patientQueue,
            make: make
        )
        searching = ExclusiveConnections(limit: configuration.searching, queue: configuration.searchQueue) {
            Connection(loop: loop, configuration, within: configuration.searchPatience)
        }
        rows = RowLines(limit: configuration.line)
    }

    /// Begins to connect.
    ///
    /// Lost connections come back by themselves, at most one attempt in 100 ms each.
    public func open() {
        loop.preconditionCurrent()
        for _ in 0..<configuration.shared {
            let connection = Connection(loop: loop, configuration, waitingForRows: Self.waitForRows)
            connection.onChange = { [unowned self] in changed($0) }
            shared.append(connection)
            connection.open()
        }
        sweep()
    }

    /// Closes all connections; what is under way fails.
    ///
    /// Call it after the requests have ended.
    public func close() {
        loop.preconditionCurrent()
        isClosing = true
        for connection in shared { connection.lose("closing") }
        exclusive.close()
        patient.close()
        searching.close()
        shared = []
        for statement in waiting.drain() { statement.fail(.unavailable("closing")) }
        for member in joint.waiting.drain() { member.completion(.failure(.unavailable("closing"))) }
        rows.expire(at: .max, with: .unavailable("closing"))
    }

    /// Whether a statement would find a connection at once.
    public var isReady: Bool { shared.contains { $0.state == .ready } }

    /// Whether the server answers within `limit`, be it to somebody else: the question may stand behind slow statements,
    /// or find no place in our own queue.
    public func answers(within limit: Duration) async -> Bool {
        loop.preconditionCurrent()
        let before = answerCount
        return await unsafe withUnsafeContinuation { continuation in
            let answer = FirstAnswer { unsafe continuation.resume(returning: $0) }
            let timer = loop.schedule(after: limit) { [unowned self] in answer.give(answerCount > before) }
            submit(["SELECT 1"], for: "", MonotonicTime.now() + configuration.patience.nanoseconds) {
                outcome in
                if case .failure(.overloaded) = outcome { return }
                timer.cancel()
                if case .success = outcome { answer.give(true) } else { answer.give(false) }
            }
        }
    }

    /// Runs one statement as a transaction of its own, under `setting`.
    public func query(_ sql: SQL, setting: Setting? = nil) async throws(PostgresFailure) -> Rows {
        try await query([sql], setting: setting)
    }

    /// Runs statements one after the other as a transaction of their own, in one round trip; each sees what was
    /// committed before it began.
    ///
    /// - Returns: the rows of the last one.
    public func query(_ sql: [SQL], setting: Setting? = nil) async throws(PostgresFailure) -> Rows {
        loop.preconditionCurrent()
        statementCount += sql.count
        let statements = (setting.map { [$0.statement] } ?? []) + sql
        let deadline = MonotonicTime.now() + configuration.patience.nanoseconds
        let outcome = await unsafe withUnsafeContinuation {
            (continuation: UnsafeContinuation<Segment.Outcome, Never>) in
            let completion: (Segment.Outcome) -> Void = { unsafe continuation.resume(returning: $0) }
            guard let row = sql.first?.row else {
                return submit(statements, for: setting?.owner ?? "", deadline, completion)
            }
            take(row, until: deadline, completion) { [unowned self] in
                submit(statements, for: setting?.owner ?? "", deadline, $0)
            }
        }
        return try outcome.answer()
    }

    /// Calls `body` when it is its turn at `row`, with what to tell the outcome to: then the next one's turn comes.
    func take(
        _ row: LockedRow,
        until deadline: Int64,
        _ completion: @escaping (Segment.Outcome) -> Void,
        _ body: @escaping (@escaping (Segment.Outcome) -> Void) -> Void
    ) {
        rows.enter(row, deadline: deadline) { [unowned self] failure in
            if let failure { return completion(.failure(failure)) }
            body { [unowned self] outcome in
                rows.leave(row)
                completion(outcome)
            }
        }
    }

    /// Sends statements on the least loaded of the shared connections, as soon as one has room.
    ///
    /// - Parameter owner: whose they are, should they have to wait for a row.
    func submit(
        _ statements: [SQL],
        for owner: String,
        _ deadline: Int64,
        _ completion: @escaping (Segment.Outcome) -> Void
    ) {
        let conclude = { [unowned self] (outcome: Segment.Outcome) in
            guard case .failure(let failure) = outcome, failure.isWaitForLock, !isClosing else {
                return completion(outcome)
            }
            wait(statements, for: owner, deadline, completion)
        }
        if waiting.isEmpty, let connection = leastLoaded() {
            return connection.send(statements, deadline: deadline, completion: conclude)
        }
        guard waiting.count < configuration.queue, !isClosing else {
            return completion(.failure(.overloaded))
        }
        if absence.isLong { return completion(.failure(.unavailable(problem))) }
        waiting.append(
            Waiting(
                deadline: deadline,
                dispatch: { $0.send(statements, deadline: deadline, completion: conclude) },
                fail: { conclude(.failure($0)) }
            )
        )
    }

    /// Runs statements once more that did not get their rows at once, where nobody waits behind them.
    private func wait(
        _ statements: [SQL],
        for owner: String,
        _ deadline: Int64,
        _ completion: @escaping (Segment.Outcome) -> Void
    ) {
        patient.acquire(for: owner, deadline: deadline) { [unowned self] outcome in
            switch outcome {
            case .failure(let failure): completion(.failure(failure))
            case .success(let connection):
                connection.send(statements, deadline: deadline) { [unowned self] outcome in
                    patient.release(connection, of: owner)
                    completion(outcome)
                }
            }
        }
    }

    /// How long a statement waits for a row on a shared connection, and all those behind it: about as long as a commit
    /// takes, of another loop's that has the row.
    private static var waitForRows: Duration { .milliseconds(10) }

    /// The connection with the fewest segments under way, or nil where none has room.
    func leastLoaded() -> Connection? {
        var least: Connection?
        for connection in shared where connection.state == .ready && connection.load < configuration.depth {
            if let load = least?.load, load <= connection.load { continue }
            least = connection
        }
        return least
    }

    private func changed(_ connection: Connection) {
        if connection.state == .ready { answerCount += 1 }
        absence.note(isReady: isReady)
        if connection.state == .closed && !isClosing {
            loop.schedule(after: .milliseconds(100)) { [weak self, weak connection] in
                if self?.isClosing == false { connection?.open() }
            }
        }
        while !waiting.isEmpty, let free = leastLoaded() { waiting.popFirst()?.dispatch(free) }
        sendJointly()
    }

    /// Ends what has waited too long: in the queue with an error, on a connection by giving the connection up,
    /// since a server that keeps its own statement time-out would have answered by now.
    private func sweep() {
        guard !isClosing else { return }
        let now = MonotonicTime.now()
        defer {
            lastSweep = now
            loop.schedule(after: Self.sweepInterval) { [weak self] in self?.sweep() }
        }
        // A process that stood still, with its machine or for want of it, reads first what has come meanwhile.
        let grace = configuration.grace.nanoseconds
        guard now - lastSweep < grace else { return }
        let isAway = absence.isLong
        while let first = waiting.head, isAway || first.deadline < now {
            waiting.popFirst()?.fail(isReady ? .timedOut : .unavailable(problem))
        }
        exclusive.expire(at: now)
        patient.expire(at: now)
        searching.expire(at: now)
        if isAway {
            rows.expire(at: .max, with: .unavailable(problem))
        } else {
            rows.expire(at: now, with: .timedOut)
        }
        while let first = joint.waiting.head, isAway || first.deadline < now {
            joint.waiting.popFirst()?.completion(.failure(isReady ? .timedOut : .unavailable(problem)))
        }
        for connection in shared + exclusive.all + patient.all + searching.all {
            if let deadline = connection.oldestDeadline, deadline + grace < now {
                connection.lose("no answer in time")
            }
        }
    }

    private static var sweepInterval: Duration { .milliseconds(250) }

    /// How many statements and transactions wait on this loop for others that want the same row.
    public var waitingForRows: Int { rows.waitingCount }

    /// Why the last connection was lost.
    public var problem: String { shared.first { $0.state != .ready }?.lastProblem ?? "" }
}
