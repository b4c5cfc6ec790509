public import EventLoop

/// What a statement runs under: a setting that lasts as long as its transaction, such as the team whose rows
/// row-level security shows.
public struct Setting: Equatable, Sendable {
    let statement: SQL

    /// - Parameter statement: a `SELECT set_config(…, true)`; local, so it ends with the transaction.
    public init(_ statement: SQL) {
        self.statement = statement
    }
}

/// The connections of one loop to one database under one role.
///
/// Statements share pipelined connections; transactions get one of their own, and so do statements that wait for a row,
/// since on a shared connection everybody behind them would wait too. Everything is called on the
/// loop, from its tasks.
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
    private var joint = JointCommits()
    private var isClosing = false
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
            Connection(loop: loop, options: configuration.options(), lookups: configuration.lookups)
        }
        exclusive = ExclusiveConnections(
            limit: configuration.exclusive,
            queue: configuration.queue,
            make: make
        )
        patient = ExclusiveConnections(limit: configuration.patient, queue: configuration.queue, make: make)
    }

    /// Begins to connect.
    ///
    /// Lost connections come back by themselves, at most one attempt in 100 ms each.
    public func open() {
        loop.preconditionCurrent()
        for _ in 0..<configuration.shared {
            let connection = Connection(
                loop: loop,
                options: configuration.options(waitingForRows: Self.waitForRows),
                lookups: configuration.lookups
            )
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
        shared = []
        for statement in waiting.drain() { statement.fail(.unavailable("closing")) }
        for member in joint.waiting.drain() { member.completion(.failure(.unavailable("closing"))) }
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
            submit(["SELECT 1"]) { outcome in
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
        let outcome = await unsafe withUnsafeContinuation { continuation in
            submit(statements) { unsafe continuation.resume(returning: $0) }
        }
        return try outcome.answer()
    }

    /// Runs one statement, committed when this returns, in one transaction with others that come meanwhile.
    ///
    /// For short statements of the hot path that change a row or two found by key and do not fail by themselves.
    /// They may be run a second time after the first was rolled back, so their outcome must not depend on how
    /// often they are tried.
    ///
    /// - Parameter row: tells the row it locks from others.
    public func queryJointly(
        _ sql: SQL,
        locking row: [UInt8],
        setting: Setting
    ) async throws(PostgresFailure) -> Rows {
        try await queryJointly([sql], locking: row, setting: setting)
    }

    /// Runs statements one after the other in the same way; none is committed without the others.
    ///
    /// - Returns: the rows of the last one.
    public func queryJointly(
        _ sql: [SQL],
        locking row: [UInt8],
        setting: Setting
    ) async throws(PostgresFailure) -> Rows {
        loop.preconditionCurrent()
        statementCount += sql.count
        let outcome = await unsafe withUnsafeContinuation { continuation in
            let deadline = MonotonicTime.now() + configuration.patience.nanoseconds
            let member = JointCommits.Member(statements: sql, row: row, setting: setting, deadline: deadline)
            {
                unsafe continuation.resume(returning: $0)
            }
            guard joint.waiting.count < configuration.queue, !isClosing else {
                return member.completion(.failure(.overloaded))
            }
            if absence.isLong { return member.completion(.failure(.unavailable(problem))) }
            joint.waiting.append(member)
            sendJointly()
        }
        return try outcome.answer()
    }

    /// Sends what has gathered, while few enough segments are under way: under load each carries many statements.
    private func sendJointly() {
        while joint.segments < configuration.jointSegments, !joint.waiting.isEmpty, let free = leastLoaded() {
            let members = joint.gather()
            let deadline = members[0].deadline
            free.send(JointCommits.statements(of: members), deadline: deadline) { [unowned self] outcome in
                joint.segments -= 1
                JointCommits.deliver(outcome, to: members) { member in
                    submit([member.setting.statement] + member.statements, completion: member.completion)
                }
            }
        }
    }

    private func submit(_ statements: [SQL], completion: @escaping (Segment.Outcome) -> Void) {
        let deadline = MonotonicTime.now() + configuration.patience.nanoseconds
        let conclude = { [unowned self] (outcome: Segment.Outcome) in
            guard case .failure(let failure) = outcome, failure.isWaitForLock, !isClosing else {
                return completion(outcome)
            }
            wait(statements, deadline, completion)
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
        _ deadline: Int64,
        _ completion: @escaping (Segment.Outcome) -> Void
    ) {
        patient.acquire(deadline: deadline) { [unowned self] outcome in
            switch outcome {
            case .failure(let failure): completion(.failure(failure))
            case .success(let connection):
                connection.send(statements, deadline: deadline) { [unowned self] outcome in
                    patient.release(connection)
                    completion(outcome)
                }
            }
        }
    }

    /// How long a statement waits for a row on a shared connection: longer than most who hold one.
    private static var waitForRows: Duration { .milliseconds(100) }

    private func leastLoaded() -> Connection? {
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
        let isAway = absence.isLong
        while let first = waiting.head, isAway || first.deadline < now {
            waiting.popFirst()?.fail(isReady ? .timedOut : .unavailable(problem))
        }
        exclusive.expire(at: now)
        patient.expire(at: now)
        while let first = joint.waiting.head, isAway || first.deadline < now {
            joint.waiting.popFirst()?.completion(.failure(isReady ? .timedOut : .unavailable(problem)))
        }
        for connection in shared + exclusive.all + patient.all {
            if let deadline = connection.oldestDeadline, deadline + Self.grace < now {
                connection.lose("no answer in time")
            }
        }
        loop.schedule(after: .milliseconds(250)) { [weak self] in self?.sweep() }
    }

    /// How much longer a statement may take than its deadline, and how long connecting may take: libpq keeps
    /// `connect_timeout` only for those who block.
    private static var grace: Int64 { 5_000_000_000 }

    /// Why the last connection was lost.
    public var problem: String { shared.first { $0.state != .ready }?.lastProblem ?? "" }
}
