/// Why an administrative connection or statement failed.
public enum AdminFailure: Error, Equatable, Sendable {
    /// The server could not be reached, or the connection was lost.
    case unreachable(String)
    /// The server rejected the statement; `position` counts characters of the text from 1.
    case refused(sqlState: String, message: String, position: Int?)
    /// The text contains a NUL character, which neither libpq nor PostgreSQL's `text` supports.
    case containsNUL

    /// Whether a lock could not be had in time, or only by a deadlock.
    var isLockTimeout: Bool {
        if case .refused(let state, _, _) = self { state == "55P03" || state == "40P01" } else { false }
    }
}

extension AdminFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreachable(let message): SQLState.explained(message)
        case .refused(let sqlState, let message, _): SQLState.explained("\(message) (SQLSTATE \(sqlState))")
        case .containsNUL: "the text contains a NUL character"
        }
    }
}
