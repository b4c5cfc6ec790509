import CPostgreSQL
import EventLoop

/// Statements between two Syncs of a pipeline: one implicit transaction, with its completion.
final class Segment {
    /// Kind of a command in the segment, to identify the command that failed.
    enum Command {
        case prepare(text: String)
        case execute
    }

    /// Rows of each statement, or why the segment failed.
    typealias Outcome = Result<[Rows], PostgresFailure>

    let statements: [SQL]
    let deadline: Int64
    /// Whether it is a transaction of its own, so that it may be sent again after a failure.
    let isWhole: Bool
    /// Monotonic nanoseconds.
    var sentAt: Int64 = 0
    var commands: [Command] = []
    /// What its failure says about the connection.
    private(set) var effect = ConnectionEffect.none
    private var rewinds = 0
    private var current = 0
    private var rows: [Rows] = []
    private var failure: PostgresFailure?
    private var completion: ((Outcome) -> Void)?

    /// - Parameter deadline: monotonic nanoseconds after which the result is no longer needed.
    init(_ statements: [SQL], deadline: Int64, isWhole: Bool, completion: @escaping (Outcome) -> Void) {
        self.statements = statements
        self.deadline = deadline
        self.isWhole = isWhole
        self.completion = completion
    }

    /// Takes a result of the current command; nil ends that command.
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
                effect = unsafe ConnectionEffect(of: result)
            }
            unsafe PQclear(result)
        }
    }

    /// Texts of the statements that were not prepared, once the segment has ended.
    var unprepared: [String] {
        guard failure != nil, let last = failedCommand else { return [] }
        return commands[last...].compactMap { command in if case .prepare(let text) = command { text } else { nil } }
    }

    /// Position of the first command that failed; nil if none did.
    private(set) var failedCommand: Int?

    /// Records the position of the first failure; called after each result.
    func noteFailure() {
        if failure != nil && failedCommand == nil { failedCommand = min(current, commands.count - 1) }
    }

    /// Resets the segment to its state before sending, so that it can be sent again.
    ///
    /// - Returns: false after `maxRewinds` resets, because the missing statement is no longer expected.
    func rewind() -> Bool {
        guard rewinds < Self.maxRewinds else { return false }
        rewinds += 1
        commands = []
        rows = []
        current = 0
        failure = nil
        failedCommand = nil
        effect = .none
        return true
    }

    /// Maximum number of resets; each follows another segment that failed while it prepared the statement.
    private static let maxRewinds = 8

    /// Calls the completion with the outcome, once.
    func complete() {
        guard let completion else { return }
        self.completion = nil
        completion(failure.map { .failure($0) } ?? .success(rows))
    }

    /// Ends the segment with a failure in place of a result.
    func fail(_ failure: PostgresFailure) {
        self.failure = failure
        complete()
    }
}

extension Segment.Outcome {
    /// Rows of the last statement: the requested one, which follows its settings.
    func answer() throws(PostgresFailure) -> Rows {
        guard let rows = try get().last else { throw .unavailable("no answer") }
        return rows
    }
}
