import EventLoop

/// Connections that serve one transaction at a time, opened when needed, kept when idle.
///
/// Owners take turns at them, and none has the last one: who waits in all of theirs keeps nobody else waiting.
final class ExclusiveConnections {
    typealias Outcome = Result<Connection, PostgresFailure>

    private struct Waiting {
        let deadline: Int64
        let completion: (Outcome) -> Void
    }

    private let limit: Int
    private let make: () -> Connection
    private(set) var all: [Connection] = []
    private var idle: [Connection] = []
    private var work: FairQueue<Waiting>
    private var isClosed = false

    /// - Parameters:
    ///   - limit: how many connections there are at most.
    ///   - queue: how many transactions may wait for one.
    init(limit: Int, queue: Int, make: @escaping () -> Connection) {
        self.limit = limit
        self.make = make
        work = FairQueue(limit: queue)
    }

    /// How many connections one owner may have.
    private var share: Int { max(1, limit - 1) }

    /// Hands over an idle connection, a new one while there are fewer than the limit, or one that is released before
    /// `deadline`.
    ///
    /// - Parameter owner: whose work it is, such as the id of a team.
    func acquire(for owner: String, deadline: Int64, completion: @escaping (Outcome) -> Void) {
        guard !isClosed else { return completion(.failure(.unavailable("closing"))) }
        let waiting = Waiting(deadline: deadline, completion: completion)
        if work.load(owner) < share {
            if let connection = idleConnection() {
                work.begin(of: owner)
                return completion(.success(connection))
            }
            if all.count < limit {
                work.begin(of: owner)
                return open(for: owner, completion)
            }
        }
        switch work.append(waiting, of: owner) {
        case .accepted: break
        case .displacing(let other): other.completion(.failure(.overloaded))
        case .refused: completion(.failure(.overloaded))
        }
    }

    /// Takes a connection back and gives it to the next who waits; in place of a lost one, they get a new one.
    func release(_ connection: Connection, of owner: String) {
        work.end(of: owner)
        if connection.state == .ready { idle.append(connection) } else { forget(connection) }
        serveNext()
    }

    /// Ends the wait of those whose deadline has passed.
    func expire(at now: Int64) {
        for waiting in work.remove(while: { $0.deadline < now }) { waiting.completion(.failure(.timedOut)) }
    }

    func close() {
        isClosed = true
        failWaiting("closing")
        for connection in all { connection.lose("closing") }
        (all, idle) = ([], [])
    }

    /// To be called when there is an idle connection, or room for a new one.
    private func serveNext() {
        guard !isClosed, let next = work.popFirst(upTo: share) else { return }
        if let connection = idleConnection() {
            next.element.completion(.success(connection))
        } else {
            open(for: next.owner, next.element.completion)
        }
    }

    private func idleConnection() -> Connection? {
        while let connection = idle.popLast() {
            if connection.state == .ready { return connection }
            forget(connection)
        }
        return nil
    }

    private func open(for owner: String, _ completion: @escaping (Outcome) -> Void) {
        let connection = make()
        all.append(connection)
        connection.onChange = { [weak self] connection in
            connection.onChange = { _ in }
            if connection.state == .ready { return completion(.success(connection)) }
            completion(.failure(.unavailable(connection.lastProblem)))
            self?.couldNotOpen(connection, for: owner)
        }
        connection.open()
    }

    /// Once no connection is left, none will be released to those who wait.
    private func couldNotOpen(_ connection: Connection, for owner: String) {
        forget(connection)
        work.end(of: owner)
        if all.isEmpty { return failWaiting(connection.lastProblem) }
        if !idle.isEmpty { serveNext() }
    }

    private func failWaiting(_ problem: String) {
        for waiting in work.remove(while: { _ in true }) {
            waiting.completion(.failure(.unavailable(problem)))
        }
    }

    private func forget(_ connection: Connection) {
        all.removeAll { $0 === connection }
    }
}
