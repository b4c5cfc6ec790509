import EventLoop

/// Connections that serve one transaction at a time, opened when needed, kept when idle.
final class ExclusiveConnections {
    typealias Outcome = Result<Connection, PostgresFailure>

    private struct Waiting {
        let deadline: Int64
        let completion: (Outcome) -> Void
    }

    private let limit: Int
    private let queue: Int
    private let make: () -> Connection
    private(set) var all: [Connection] = []
    private var idle: [Connection] = []
    private var waiting = Queue<Waiting>()
    private var isClosed = false

    /// - Parameters:
    ///   - limit: how many connections there are at most.
    ///   - queue: how many transactions may wait for one.
    init(limit: Int, queue: Int, make: @escaping () -> Connection) {
        self.limit = limit
        self.queue = queue
        self.make = make
    }

    /// Hands over an idle connection, a new one while there are fewer than the limit, or the next to be released
    /// before `deadline`.
    func acquire(deadline: Int64, completion: @escaping (Outcome) -> Void) {
        guard !isClosed else { return completion(.failure(.unavailable("closing"))) }
        while let connection = idle.popLast() {
            if connection.state == .ready { return completion(.success(connection)) }
            forget(connection)
        }
        if all.count < limit { return open(completion) }
        guard waiting.count < queue else { return completion(.failure(.overloaded)) }
        waiting.append(Waiting(deadline: deadline, completion: completion))
    }

    /// Takes a connection back and gives it to the next who waits; in place of a lost one, they get a new one.
    func release(_ connection: Connection) {
        guard connection.state == .ready else {
            forget(connection)
            if all.count < limit, let next = waiting.popFirst() { open(next.completion) }
            return
        }
        if let next = waiting.popFirst() {
            next.completion(.success(connection))
        } else {
            idle.append(connection)
        }
    }

    /// Ends the wait of those whose deadline has passed.
    func expire(at now: Int64) {
        while let first = waiting.head, first.deadline < now {
            waiting.popFirst()?.completion(.failure(.timedOut))
        }
    }

    func close() {
        isClosed = true
        failWaiting("closing")
        for connection in all { connection.lose("closing") }
        (all, idle) = ([], [])
    }

    private func open(_ completion: @escaping (Outcome) -> Void) {
        let connection = make()
        all.append(connection)
        connection.onChange = { [weak self] connection in
            connection.onChange = { _ in }
            if connection.state == .ready { return completion(.success(connection)) }
            completion(.failure(.unavailable(connection.lastProblem)))
            self?.couldNotOpen(connection)
        }
        connection.open()
    }

    /// Once no connection is left, none will be released to those who wait.
    private func couldNotOpen(_ connection: Connection) {
        forget(connection)
        if all.isEmpty { failWaiting(connection.lastProblem) }
    }

    private func failWaiting(_ problem: String) {
        for next in waiting.drain() { next.completion(.failure(.unavailable(problem))) }
    }

    private func forget(_ connection: Connection) {
        all.removeAll { $0 === connection }
    }
}
