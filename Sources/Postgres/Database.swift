public import EventLoop

/// Connections of one loop to one database under one role.
///
/// Statements share pipelined connections. Transactions, searches and statements that wait for a row lock have a
/// connection each, because on a shared connection all statements behind them would wait too. Work that is known to
/// lock a row in use on this loop waits before it gets a connection (`RowQueues`). All methods are called on the loop,
/// from its tasks.
// @unchecked Sendable: all state is used on the loop's thread alone, which every entry point checks.
public final class Database: @unchecked Sendable {
    private struct Waiting {
        let deadline: Int64
        let dispatch: (Connection) -> Void
        let fail: (PostgresFailure) -> Void
    }

    let loop: EventLoop
    let configuration: DatabaseConfiguration
    let shared: SharedConnections
    private var waiting = Queue<Waiting>()
    let exclusive: ExclusiveConnections
    private let lockWaitPool: ExclusiveConnections
    let searching: ExclusiveConnections
    let rows: RowQueues
    var joint = GroupCommits()
    private(set) var isClosing = false
    private var lastSweep = MonotonicTime.now()
    private(set) var outage: Outage
    /// When a shared connection last became ready or finished segments.
    private var lastAnswer = MonotonicTime.now()
    /// Asks the other servers while the current one is silent.
    private var scout: Connection?
    private var scoutedAt: Int64 = 0
    /// Statements requested so far, a transaction counted as one: the cost of a page.
    public internal(set) var statementCount = 0

    /// Creates the database of `loop`; nothing is connected before `open`.
    public init(loop: EventLoop, configuration: DatabaseConfiguration) {
        self.loop = loop
        self.configuration = configuration
        outage = Outage(limit: configuration.outage)
        let shared = SharedConnections(loop: loop, configuration)
        self.shared = shared
        let make = { Connection(loop: loop, configuration) }
        exclusive = ExclusiveConnections(
            limit: configuration.exclusive, queue: configuration.exclusiveQueue, make: make, makeRoom: shared.makeRoom)
        lockWaitPool = ExclusiveConnections(
            limit: configuration.lockWaitPool, queue: configuration.lockWaitQueue, make: make, makeRoom: shared.makeRoom
        )
        searching = ExclusiveConnections(
            limit: configuration.searching, queue: configuration.searchQueue,
            make: { Connection(loop: loop, configuration, within: configuration.searchTimeout) },
            makeRoom: shared.makeRoom)
        rows = RowQueues(limit: configuration.line)
    }

    /// Starts to connect.
    ///
    /// Lost connections are reopened automatically, after a pause that grows while no server can be used.
    public func open() {
        loop.preconditionCurrent()
        shared.open { [unowned self] in changed($0) }
        sweep()
    }

    /// Closes all connections; statements in progress fail.
    ///
    /// Call it after the requests have ended.
    public func close() {
        loop.preconditionCurrent()
        isClosing = true
        shared.close()
        scout?.close("closing")
        exclusive.close()
        lockWaitPool.close()
        searching.close()
        for statement in waiting.drain() { statement.fail(.unavailable("closing")) }
        for member in joint.waiting.drain() { member.completion(.failure(.unavailable("closing"))) }
        rows.expire(at: .max, with: .unavailable("closing"))
    }

    /// Whether a shared connection is ready.
    public var isReady: Bool { shared.isReady }

    /// Runs one statement in its own transaction, under `setting`.
    public func query(_ sql: SQL, setting: Setting? = nil) async throws(PostgresFailure) -> Rows {
        try await query([sql], setting: setting)
    }

    /// Runs statements in order, in one transaction and one round trip; each sees what was committed before it began.
    ///
    /// - Returns: the rows of the last statement.
    public func query(_ sql: [SQL], setting: Setting? = nil) async throws(PostgresFailure) -> Rows {
        guard let rows = try await queryEach(sql, setting: setting).last else { throw .unavailable("no answer") }
        return rows
    }

    /// Runs statements as `query` does.
    ///
    /// - Returns: the rows of each statement.
    public func queryEach(_ sql: [SQL], setting: Setting? = nil) async throws(PostgresFailure) -> [Rows] {
        loop.preconditionCurrent()
        statementCount += sql.count
        let statements = (setting.map { [$0.statement] } ?? []) + sql
        let deadline = MonotonicTime.now() + configuration.timeout.nanoseconds
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
        return Array(try outcome.get().dropFirst(setting == nil ? 0 : 1))
    }

    /// Calls `body` when `row` is free, with a completion that also releases the row to the next in its queue.
    func take(
        _ row: LockedRow, until deadline: Int64, _ completion: @escaping (Segment.Outcome) -> Void,
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

    /// Sends statements on the least loaded shared connection, as soon as one has room.
    ///
    /// - Parameter owner: owner of the statements, which is used if they have to wait for a row.
    func submit(
        _ statements: [SQL], for owner: String, _ deadline: Int64, _ completion: @escaping (Segment.Outcome) -> Void
    ) {
        let conclude = { [unowned self] (outcome: Segment.Outcome) in
            guard case .failure(let failure) = outcome, failure.isWaitForLock, !isClosing else {
                return completion(outcome)
            }
            wait(statements, for: owner, deadline, completion)
        }
        if waiting.isEmpty, let connection = shared.leastLoaded {
            return connection.send(statements, deadline: deadline, completion: conclude)
        }
        guard waiting.count < configuration.queue, !isClosing else { return completion(.failure(.overloaded)) }
        if outage.isLong { return completion(.failure(.unavailable(problem))) }
        waiting.append(
            Waiting(
                deadline: deadline, dispatch: { $0.send(statements, deadline: deadline, completion: conclude) },
                fail: { conclude(.failure($0)) }))
    }

    /// Runs statements again that did not get their row locks in time, on a connection without others behind them.
    private func wait(
        _ statements: [SQL], for owner: String, _ deadline: Int64, _ completion: @escaping (Segment.Outcome) -> Void
    ) {
        lockWaitPool.acquire(for: owner, deadline: deadline) { [unowned self] outcome in
            switch outcome {
            case .failure(let failure): completion(.failure(failure))
            case .success(let connection):
                connection.send(statements, deadline: deadline) { [unowned self] outcome in
                    lockWaitPool.release(connection, of: owner)
                    completion(outcome)
                }
            }
        }
    }

    private func changed(_ connection: Connection) {
        if connection.state == .ready { lastAnswer = MonotonicTime.now() }
        outage.note(isReady: isReady)
        while !waiting.isEmpty, let free = shared.leastLoaded { waiting.popFirst()?.dispatch(free) }
        sendGroupCommit()
    }

    /// Expires work at intervals until the database is closed.
    private func sweep() {
        guard !isClosing else { return }
        expire(at: MonotonicTime.now())
        loop.schedule(after: Self.sweepInterval) { [weak self] in self?.sweep() }
    }

    /// Fails work past its deadline: in a queue with an error, on a connection by closing the connection.
    ///
    /// A server that enforces its own statement timeout would have answered by then.
    func expire(at now: Int64) {
        defer { lastSweep = now }
        // A process that was suspended, with its machine or for lack of CPU, first reads what has arrived meanwhile.
        let grace = configuration.grace.nanoseconds
        guard now - lastSweep < grace else { return }
        let isAway = outage.isLong
        while let first = waiting.head, isAway || first.deadline < now {
            waiting.popFirst()?.fail(isReady ? .timedOut : .unavailable(problem))
        }
        exclusive.expire(at: now)
        lockWaitPool.expire(at: now)
        searching.expire(at: now)
        if isAway { rows.expire(at: .max, with: .unavailable(problem)) } else { rows.expire(at: now, with: .timedOut) }
        while let first = joint.waiting.head, isAway || first.deadline < now {
            joint.waiting.popFirst()?.completion(.failure(isReady ? .timedOut : .unavailable(problem)))
        }
        for connection in all { connection.expire(at: now) }
        scout?.expire(at: now)
        leaveSilentServer(at: now)
    }

    private var all: [Connection] { shared.all + exclusive.all + lockWaitPool.all + searching.all }

    /// Asks the other servers while the current one answers nothing, and leaves it once one of them can be written to.
    ///
    /// A frozen server keeps its connections open. With no other server it is waited for: a slow disk is no reason to
    /// drop them.
    private func leaveSilentServer(at now: Int64) {
        let (current, start) = (configuration.servers.current, configuration.servers.currentStart)
        let limit = configuration.silence.nanoseconds
        let isSilent = { (connection: Connection) in connection.waitsSince.map { $0 + limit < now } == true }
        for connection in all where connection.isUsed && connection.serverStart != start {
            if isSilent(connection) { connection.close("the server is silent, and another one took over") }
            connection.retire()
        }
        guard scout == nil, scoutedAt + limit < now, configuration.servers.hasSeveral, lastAnswer + limit < now,
            shared.all.contains(where: isSilent)
        else { return }
        let scout = Connection(loop: loop, configuration)
        scout.onChange = { [unowned self] connection in
            connection.onChange = { _ in }
            connection.close("closing")
            self.scout = nil
        }
        (self.scout, scoutedAt) = (scout, now)
        scout.open(avoiding: current)
    }

    private static var sweepInterval: Duration { .milliseconds(250) }

    /// Number of statements and transactions on this loop that wait for a row in use on this loop.
    public var waitingForRows: Int { rows.waitingCount }

    /// Why a shared connection was last lost; empty while all are ready.
    public var problem: String { shared.problem }
}

/// Transaction-local setting that statements run under, such as the team whose rows row-level security shows.
public struct Setting: Equatable, Sendable {
    let statement: SQL

    /// - Parameter statement: a `SELECT set_config(…, true)`; local, so it ends with the transaction.
    public init(_ statement: SQL) { self.statement = statement }

    /// Owner of the work under this setting, such as a team id.
    var owner: String { String(decoding: statement.parameters.bytes, as: UTF8.self) }
}
