import EventLoop

/// Queues for locked rows: of the work on one loop that locks the same row, one is in progress on a connection, and the
/// rest waits here without one.
///
/// PostgreSQL grants a row lock to one transaction at a time anyway, and one that waits there occupies a connection.
final class RowQueues {
    private struct Waiting {
        let deadline: Int64
        /// Called with nil when the row is free, or with the failure that ends the wait.
        let admit: (PostgresFailure?) -> Void
    }

    /// Number of callers that may wait for one row; further ones are refused.
    private let limit: Int
    /// Queue of each row in use, which may be empty.
    private var lines: [LockedRow: Queue<Waiting>] = [:]

    init(limit: Int) { self.limit = limit }

    /// Number of callers that wait for any row.
    var waitingCount: Int { lines.values.reduce(0) { $0 + $1.count } }

    /// Whether the row is in use.
    func isTaken(_ row: LockedRow) -> Bool { lines[row] != nil }

    /// Calls `admit` at once if the row is free, otherwise when it becomes free; `leave` releases it.
    func enter(_ row: LockedRow, deadline: Int64, admit: @escaping (PostgresFailure?) -> Void) {
        guard let length = lines[row]?.count else {
            lines[row] = Queue()
            return admit(nil)
        }
        guard length < limit else { return admit(.overloaded) }
        lines[row]?.append(Waiting(deadline: deadline, admit: admit))
    }

    /// Releases the row to the next caller in its queue.
    func leave(_ row: LockedRow) {
        guard let next = lines[row]?.popFirst() else {
            lines[row] = nil
            return
        }
        next.admit(nil)
    }

    /// Fails the callers whose deadline is before `now`, the oldest of each row first.
    func expire(at now: Int64, with failure: PostgresFailure) {
        var expired: [Waiting] = []
        for row in lines.keys {
            while let head = lines[row]?.head, head.deadline < now, let waiting = lines[row]?.popFirst() {
                expired.append(waiting)
            }
        }
        for waiting in expired { waiting.admit(failure) }
    }
}

extension SQL {
    /// This statement, marked as locking `row` first: a loop sends one such statement at a time.
    public func locking(_ row: LockedRow?) -> SQL {
        var sql = self
        sql.row = row
        return sql
    }
}
