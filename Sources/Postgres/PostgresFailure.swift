import CPostgreSQL

/// Why a statement or transaction failed.
public enum PostgresFailure: Error, Equatable, Sendable {
    /// There is no connection, or it was lost in progress: whether a change was made is unknown.
    case unavailable(String)
    /// The queue of waiting statements is full.
    case overloaded
    /// The statement exceeded its time limit.
    case timedOut
    /// The search exceeded its time limit; a narrower one takes less time.
    case searchTimedOut
    /// The server rejected the statement; nothing of its transaction is committed.
    case refused(Refusal)
    /// A column does not hold the type that the code reads from it.
    case unreadable(column: Int, as: String)

    /// Error fields reported by the server, for the log; code decides on the constraint.
    public struct Refusal: Equatable, Sendable {
        public let sqlState: String
        public let message: String
        public let constraint: String?

        /// COMMIT of a transaction in which a statement had failed, which the caller ignored.
        static let rolledBack = Refusal(
            sqlState: "25P02", message: "the transaction was rolled back, since a statement of it had failed",
            constraint: nil)
    }

    /// What went wrong, with its SQLSTATE where the server gave one.
    public var cause: String {
        switch self {
        case .unavailable(let text): text
        case .refused(let refusal): "\(refusal.sqlState): \(refusal.message)"
        case .overloaded: "too many statements wait"
        case .timedOut, .searchTimedOut: "no answer in time"
        case .unreadable(let column, let type): "column \(column) is no \(type)"
        }
    }

    /// Name of the violated unique, check, foreign-key or exclusion constraint; nil for other failures.
    public var constraint: String? {
        if case .refused(let refusal) = self, refusal.sqlState.hasPrefix("23") { refusal.constraint } else { nil }
    }

    /// Whether a row or a table was locked for longer than a statement waits for it (`lock_timeout`): on a shared connection,
    /// or in a function that wants a table's strong lock.
    public var isWaitForLock: Bool {
        if case .refused(let refusal) = self { refusal.sqlState == "55P03" } else { false }
    }

    /// Whether the same request may succeed a little later.
    public var isTemporary: Bool {
        switch self {
        case .unavailable, .overloaded, .timedOut: true
        // Class 40: the transaction was rolled back in favour of another one, for example by a deadlock.
        // Classes 58 and XX: files or memory of the server are damaged.
        case .refused(let refusal): ["40", "58", "XX"].contains(refusal.sqlState.prefix(2))
        case .searchTimedOut, .unreadable: false
        }
    }
}

extension PostgresFailure: CustomStringConvertible {
    /// What went wrong, with the meaning of PostgreSQL's code before its message.
    public var description: String { SQLState.explained(cause) }
}

extension PostgresFailure {
    /// Creates a failure from the error fields of a result.
    init(_ result: OpaquePointer) {
        guard let sqlState = unsafe Self.state(of: result) else {
            // A message from libpq, not from the server: the connection broke.
            let text = unsafe PQresultErrorMessage(result).map { unsafe String(cString: $0) }
            self = .unavailable(text.flatMap { $0.split(separator: "\n").first.map(String.init) } ?? "no answer")
            return
        }
        let message = unsafe Self.field(pippin_diag_message, of: result) ?? "unknown error"
        switch sqlState {
        case "57014": self = .timedOut
        // Class 53: the server is out of connections, memory, or disk space.
        case _ where sqlState.hasPrefix("53"): self = .unavailable("\(sqlState): \(message)")
        // Where files or memory are damaged the statement alone is refused, since it may be the cause.
        case _ where unsafe ![.none, .damaged].contains(ConnectionEffect(of: result)):
            self = .unavailable("\(sqlState): \(message)")
        default:
            self = .refused(
                Refusal(
                    sqlState: sqlState, message: message,
                    constraint: unsafe Self.field(pippin_diag_constraint, of: result)))
        }
    }

    /// SQLSTATE of an error result; nil if libpq created the result itself.
    static func state(of result: OpaquePointer) -> String? { unsafe field(pippin_diag_sqlstate, of: result) }

    fileprivate static func field(_ code: Int32, of result: OpaquePointer) -> String? {
        unsafe PQresultErrorField(result, code).map { unsafe String(cString: $0) }
    }
}

/// What an error says about the connection that it came by (PostgreSQL documentation, appendix A).
enum ConnectionEffect {
    case none
    /// The connection ended, or is about to.
    case lost
    /// The server became read-only.
    case readOnly
    /// The server's files or memory are damaged, or a single statement makes it look so.
    case damaged
    /// A prepared statement is missing, or what it yields has changed.
    case staleStatement

    /// Creates the effect of an error result.
    init(of result: OpaquePointer) {
        switch unsafe PostgresFailure.state(of: result) {
        case .some("26000"): self = .staleStatement
        case .some("0A000") where unsafe PostgresFailure.field(pippin_diag_function, of: result) == Self.planCheck:
            self = .staleStatement
        case .some("25006"): self = .readOnly
        case .some(let state) where state.hasPrefix("58") || state.hasPrefix("XX"): self = .damaged
        case .some(let state) where state.hasPrefix("08") || state.hasPrefix("57P"): self = .lost
        default: self = .none
        }
    }

    /// The function of PostgreSQL that refuses a plan whose result has other types now, for which there is no SQLSTATE.
    private static let planCheck = "RevalidateCachedQuery"
}
