import EventLoop

/// Connections that serve one transaction at a time, opened on demand, kept when idle.
///
/// Owners take turns, and no owner may use the last connection: an owner whose work all waits does not block others.
final class ExclusiveConnections {
    typealias Outcome = Result<Connection, PostgresFailure>

    private struct Waiting {
        let deadline: Int64
        let completion: (Outcome) -> Void
    }

    private let limit: Int
    private let make: () -> Connection
    /// Has another kind give a connection up, if it can spare one, and calls back when the server has room.
    private let makeRoom: (_ retry: @escaping () -> Void) -> Bool
    private(set) var all: [Connection] = []
    private var idle: [Connection] = []
    private var work: FairQueue<Waiting>
    private var isClosed = false
    /// Until when no second connection is tried, because the server had none left.
    private var fullUntil: Int64 = 0
    /// Whether the work in the queue is served as soon as the server has room.
    private var isMakingRoom = false

    /// - Parameters:
    ///   - limit: maximum number of connections.
    ///   - queue: number of transactions that may wait for one.
    ///   - makeRoom: called if the server has no connection left and this kind has none; false if nothing can be spared.
    init(
        limit: Int, queue: Int, make: @escaping () -> Connection,
        makeRoom: @escaping (_ retry: @escaping () -> Void) -> Bool = { _ in false }
    ) {
        self.limit = limit
        self.make = make
        self.makeRoom = makeRoom
        work = FairQueue(limit: queue)
    }

    /// Maximum number of connections for one owner.
    private var share: Int { max(1, limit - 1) }

    /// Provides an idle connection, a new one below the limit, or one that is released before `deadline`.
    ///
    /// - Parameter owner: owner of the work, such as a team id.
    func acquire(for owner: String, deadline: Int64, completion: @escaping (Outcome) -> Void) {
        guard !isClosed else { return completion(.failure(.unavailable("closing"))) }
        let waiting = Waiting(deadline: deadline, completion: completion)
        if work.load(owner) < share {
            if let connection = idleConnection() {
                work.begin(of: owner)
                return completion(.success(connection))
            }
            if all.count < limit, fullUntil < MonotonicTime.now() || all.isEmpty && !isMakingRoom {
                work.begin(of: owner)
                return open(for: owner, waiting)
            }
        }
        append(waiting, of: owner)
    }

    private func append(_ waiting: Waiting, of owner: String) {
        switch work.append(waiting, of: owner) {
        case .accepted: break
        case .displacing(let other): other.completion(.failure(.overloaded))
        case .refused: waiting.completion(.failure(.overloaded))
        }
    }

    /// Takes a connection back and provides it to the next waiting caller, or a new one in place of a lost one.
    func release(_ connection: Connection, of owner: String) {
        work.end(of: owner)
        if connection.state == .ready { idle.append(connection) } else { forget(connection) }
        serveNext()
    }

    /// Fails waiting callers whose deadline has passed.
    func expire(at now: Int64) {
        for waiting in work.remove(while: { $0.deadline < now }) { waiting.completion(.failure(.timedOut)) }
    }

    func close() {
        isClosed = true
        failWaiting("closing")
        for connection in all { connection.close("closing") }
        (all, idle) = ([], [])
    }

    /// Serves the next waiting caller; requires an idle connection or room for a new one.
    private func serveNext() {
        guard !isClosed, !idle.isEmpty || all.count < limit, let next = work.popFirst(upTo: share) else { return }
        if let connection = idleConnection() {
            next.element.completion(.success(connection))
        } else {
            open(for: next.owner, next.element)
        }
    }

    private func idleConnection() -> Connection? {
        while let connection = idle.popLast() {
            if connection.state == .ready { return connection }
            forget(connection)
        }
        return nil
    }

    private func open(for owner: String, _ waiting: Waiting) {
        let connection = make()
        all.append(connection)
        connection.onChange = { [weak self] connection in
            connection.onChange = { _ in }
            if connection.state == .ready { return waiting.completion(.success(connection)) }
            guard let self else { return waiting.completion(.failure(.unavailable(connection.lastProblem))) }
            couldNotOpen(connection, for: owner, waiting)
        }
        connection.open()
    }

    /// Removes a connection that failed to open; if none is left to be released, fails all waiting callers.
    ///
    /// Where the server has no connection left, the caller waits for another one of this kind, or for room for the first.
    private func couldNotOpen(_ connection: Connection, for owner: String, _ waiting: Waiting) {
        forget(connection)
        work.end(of: owner)
        if connection.isRefusedAsFull {
            fullUntil = MonotonicTime.now() + Duration.seconds(1).nanoseconds
            append(waiting, of: owner)
            if all.isEmpty, isMakingRoom || makeRoom({ [weak self] in self?.useRoom() }) { return isMakingRoom = true }
        } else {
            waiting.completion(.failure(.unavailable(connection.lastProblem)))
        }
        if all.isEmpty { return failWaiting(connection.lastProblem) }
        if !idle.isEmpty { serveNext() }
    }

    private func useRoom() {
        isMakingRoom = false
        serveNext()
    }

    private func failWaiting(_ problem: String) {
        for waiting in work.remove(while: { _ in true }) { waiting.completion(.failure(.unavailable(problem))) }
    }

    private func forget(_ connection: Connection) { all.removeAll { $0 === connection } }
}

// The duration of a search depends on the amount of matching data, which only the database knows. On their own
// connections searches delay only one another, and owners take turns there.
extension Database {
    /// Runs one statement whose duration depends on the search terms, under `setting`.
    ///
    /// - Throws: `searchTimedOut` if it runs for longer than `DatabaseConfiguration.searchTimeout`.
    public func search(_ sql: SQL, setting: Setting? = nil) async throws(PostgresFailure) -> Rows {
        loop.preconditionCurrent()
        statementCount += 1
        if outage.isLong { throw .unavailable(problem) }
        let owner = setting?.owner ?? ""
        let deadline = MonotonicTime.now() + configuration.timeout.nanoseconds
        let place = await unsafe withUnsafeContinuation { continuation in
            searching.acquire(for: owner, deadline: deadline) { unsafe continuation.resume(returning: $0) }
        }
        let connection = try place.get()
        defer { searching.release(connection, of: owner) }
        let statements = (setting.map { [$0.statement] } ?? []) + [sql]
        let end = MonotonicTime.now() + configuration.searchTimeout.nanoseconds
        let outcome = await unsafe withUnsafeContinuation {
            (continuation: UnsafeContinuation<Segment.Outcome, Never>) in
            connection.send(statements, deadline: end) { unsafe continuation.resume(returning: $0) }
        }
        if case .failure(.timedOut) = outcome { throw .searchTimedOut }
        return try outcome.answer()
    }
}
