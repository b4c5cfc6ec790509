/// Why PostgreSQL did not give an answer.
public enum PostgresFailure: Error, Equatable, Sendable {
    /// There is no connection, or it was lost on the way: whether a change was made is not known.
    case unavailable(String)
    /// More statements wait than the pool takes.
    case overloaded
    /// The statement took longer than it may.
    case timedOut
    /// The search took longer than one may; a narrower one takes less.
    case searchTimedOut
    /// The server refused the statement; nothing of its transaction happened.
    case refused(Refusal)
    /// A column does not hold what the code reads from it.
    case unreadable(column: Int, as: String)

    /// What the server said, for the log; the constraint is what code decides on.
    public struct Refusal: Equatable, Sendable {
        public let sqlState: String
        public let message: String
        public let constraint: String?

        /// The transaction had failed before its end, and whoever ran it had overlooked that.
        static let rolledBack = Refusal(
            sqlState: "25P02",
            message: "the transaction was rolled back, since a statement of it had failed",
            constraint: nil
        )
    }

    /// The name of the unique, check, foreign-key or exclusion constraint that stood against the change.
    public var constraint: String? {
        if case .refused(let refusal) = self, refusal.sqlState.hasPrefix("23") {
            refusal.constraint
        } else {
            nil
        }
    }

    /// Whether a row was held by others for longer than a shared connection waits.
    var isWaitForLock: Bool {
        if case .refused(let refusal) = self { refusal.sqlState == "55P03" } else { false }
    }

    /// Whether the same request may succeed a little later.
    public var isTemporary: Bool {
        switch self {
        case .unavailable, .overloaded, .timedOut: true
        // Class 40: the transaction lost against another one, by a deadlock for instance.
        case .refused(let refusal): refusal.sqlState.hasPrefix("40")
        case .searchTimedOut, .unreadable: false
        }
    }
}
