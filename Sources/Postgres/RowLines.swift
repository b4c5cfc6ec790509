import EventLoop

/// The lines before rows that are locked: of those on one loop that want the same row one is under way, on whichever
/// connection, and the others wait here, where they occupy none.
///
/// PostgreSQL gives a row to one at a time anyway, and who waits for it there holds a connection meanwhile.
final class RowLines {
    private struct Waiting {
        let deadline: Int64
        /// Told nil when it is the next one's turn, and why there will be none otherwise.
        let admit: (PostgresFailure?) -> Void
    }

    /// How many may wait for one row; more are refused.
    private let limit: Int
    /// A row that is taken has a line, which may be empty.
    private var lines: [LockedRow: Queue<Waiting>] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    /// How many wait here, for any row.
    var waitingCount: Int { lines.values.reduce(0) { $0 + $1.count } }

    /// Whether somebody is at the row.
    func isTaken(_ row: LockedRow) -> Bool { lines[row] != nil }

    /// Calls `admit` at once where nobody is at the row, and otherwise when it is free; `leave` lets the next one come.
    func enter(_ row: LockedRow, deadline: Int64, admit: @escaping (PostgresFailure?) -> Void) {
        guard let length = lines[row]?.count else {
            lines[row] = Queue()
            return admit(nil)
        }
        guard length < limit else { return admit(.overloaded) }
        lines[row]?.append(Waiting(deadline: deadline, admit: admit))
    }

    /// Makes room for the next one.
    func leave(_ row: LockedRow) {
        guard let next = lines[row]?.popFirst() else {
            lines[row] = nil
            return
        }
        next.admit(nil)
    }

    /// Ends the wait of those whose deadline is before `now`, the oldest first.
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
