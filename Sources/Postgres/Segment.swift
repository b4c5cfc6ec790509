import CPostgreSQL
import EventLoop

/// The statements between two Syncs of a pipeline: one implicit transaction, with whoever waits for it.
final class Segment {
    /// What one command of the segment is, so that a failure can be told from another.
    enum Command {
        case prepare(text: String)
        case execute
    }

    /// What each statement answered, or why nothing of the segment happened.
    typealias Outcome = Result<[Rows], PostgresFailure>

    let statements: [SQL]
    let deadline: Int64
    var commands: [Command] = []
    /// Whether it failed for want of a statement that another segment was to prepare.
    private(set) var lacksStatement = false
    private var rewinds = 0
    private var current = 0
    private var rows: [Rows] = []
    private var failure: PostgresFailure?
    private var completion: ((Outcome) -> Void)?

    /// - Parameter deadline: monotonic nanoseconds after which the answer no longer matters.
    init(_ statements: [SQL], deadline: Int64, completion: @escaping (Outcome) -> Void) {
        self.statements = statements
        self.deadline = deadline
        self.completion = completion
    }

    /// Takes the result of the current command; nil ends that command.
    func take(_ result: OpaquePointer?) {
        guard let result = unsafe result else {
            current += 1
            return
        }
        let status = unsafe PQresultStatus(result)
        if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK {
            let answer = unsafe Rows(owning: result)
            if case .execute = commands[current] { rows.append(answer) }
        } else {
            if status != PGRES_PIPELINE_ABORTED {
                unsafe failure = PostgresFailure(result)
                lacksStatement = unsafe PostgresFailure.state(of: result) == "26000"
            }
            unsafe PQclear(result)
        }
    }

    /// The texts whose preparation did not happen, once the segment has ended.
    var unprepared: [String] {
        guard failure != nil, let last = failedCommand else { return [] }
        return commands[last...].compactMap { command in
            if case .prepare(let text) = command { text } else { nil }
        }
    }

    /// The position of the command that failed, kept when it fails.
    private(set) var failedCommand: Int?

    /// Called after each taken result, so that the first failure is known by its place.
    func noteFailure() {
        if failure != nil && failedCommand == nil { failedCommand = min(current, commands.count - 1) }
    }

    /// Makes it as it was before it was sent, so that it can be sent once more.
    ///
    /// - Returns: false once that has happened so often that what it lacks will not come.
    func rewind() -> Bool {
        guard rewinds < Self.maxRewinds else { return false }
        rewinds += 1
        commands = []
        rows = []
        current = 0
        failure = nil
        failedCommand = nil
        lacksStatement = false
        return true
    }

    /// Each time is behind another segment that failed as it prepared the statement.
    private static let maxRewinds = 8

    /// Hands the outcome to the one who waits, once.
    func complete() {
        guard let completion else { return }
        self.completion = nil
        completion(failure.map { .failure($0) } ?? .success(rows))
    }

    /// Ends the segment without an answer.
    func fail(_ failure: PostgresFailure) {
        self.failure = failure
        complete()
    }
}

extension Segment.Outcome {
    /// What the last statement answered: the one that was asked for, behind its settings.
    func answer() throws(PostgresFailure) -> Rows {
        guard let rows = try get().last else { throw .unavailable("no answer") }
        return rows
    }
}

extension PostgresFailure {
    /// Reads the error fields of a result.
    init(_ result: OpaquePointer) {
        guard let sqlState = unsafe Self.state(of: result) else {
            // libpq's own words, not the server's: the connection broke.
            let text = unsafe PQresultErrorMessage(result).map { unsafe String(cString: $0) }
            self = .unavailable(
                text.flatMap { $0.split(separator: "\n").first.map(String.init) } ?? "no answer"
            )
            return
        }
        let message = unsafe Self.field(pippin_diag_message, of: result) ?? "unknown error"
        switch sqlState {
        case "57014": self = .timedOut
        // The segments ahead of this one failed before they had prepared the statement all use.
        case "26000": self = .unavailable(message)
        // Shutting down, starting, or out of connections: class 57P and 53.
        case _ where sqlState.hasPrefix("57P") || sqlState.hasPrefix("53"): self = .unavailable(message)
        default:
            self = .refused(
                Refusal(
                    sqlState: sqlState,
                    message: message,
                    constraint: unsafe Self.field(pippin_diag_constraint, of: result)
                )
            )
        }
    }

    /// The SQLSTATE of a result that is an error; nil where libpq made it itself.
    static func state(of result: OpaquePointer) -> String? {
        unsafe field(pippin_diag_sqlstate, of: result)
    }

    private static func field(_ code: Int32, of result: OpaquePointer) -> String? {
        unsafe PQresultErrorField(result, code).map { unsafe String(cString: $0) }
    }
}
