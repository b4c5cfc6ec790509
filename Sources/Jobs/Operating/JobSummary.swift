public import Bytes
public import Domain
import Postgres

/// A job as shown in lists, without its payload.
public struct JobSummary: Sendable {
    /// State of a job.
    public enum State: String, CaseIterable, Sendable {
        case waiting
        case running
        case succeeded
        case dead
        case cancelled
    }

    public let team: TeamID
    public let id: JobID
    public let kind: String
    public let priority: JobPolicy.Priority
    public let state: State
    /// Number of attempts that have begun.
    public let attempts: Int
    public let createdAt: Timestamp
    /// When the job may run; for a running job, when its lease ends.
    public let dueAt: Timestamp
    public let finishedAt: Timestamp?

    /// The columns that `init(_:)` reads.
    static let columns: SQL = """
        team_id, job_id, kind, priority, CASE WHEN state <> 'pending' THEN state
            WHEN worker IS NULL THEN 'waiting' ELSE 'running' END AS stands, attempts, created_at, due_at, finished_at
        """

    init(_ row: inout Row) throws(PostgresFailure) {
        team = try row.next()
        id = try row.next()
        kind = try row.next()
        priority = JobPolicy.Priority(rawValue: try row.next()) ?? .normal
        let name: String = try row.next()
        guard let state = State(rawValue: name) else { throw .unreadable(column: 4, as: "a state") }
        self.state = state
        attempts = try row.next()
        createdAt = try row.next()
        dueAt = try row.next()
        finishedAt = try row.next()
    }
}
