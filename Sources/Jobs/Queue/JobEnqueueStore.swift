import Bytes
public import Domain
public import Postgres

// Enqueueing.
extension NewJob {
    /// The statement that enqueues the job.
    ///
    /// Run it in the transaction of the change, or splice it into the one statement that makes the change:
    /// `WITH changed AS (…), job AS (\(job.insertion(in: team))) SELECT …`. Ring the queue's bell afterwards.
    /// - Parameter condition: a FROM or WHERE clause; the job is enqueued when it yields a row.
    public func insertion(in team: TeamID, when condition: SQL = "") -> SQL {
        """
        INSERT INTO jobs (team_id, job_id, kind, priority, payload, idempotence_key, due_at)
        SELECT \(team), \(id), \(kind), \(priority), \(payload)::jsonb, \(idempotenceKey),
            clock_timestamp() + \(Int(delay.microseconds)) * interval '1 microsecond'
        \(condition)
        ON CONFLICT DO NOTHING
        """
    }
}

extension NewJob {
    /// The statement that gives up jobs that wait and that no worker has, open to RETURNING.
    ///
    /// - Parameter jobs: a query of one column, their ids.
    public static func cancellation(in team: TeamID, of jobs: SQL) -> SQL {
        """
        UPDATE jobs
        SET state = 'cancelled', payload = '{}', finished_at = clock_timestamp(),
            keep_until = clock_timestamp() + interval '1 day'
        WHERE team_id = \(team) AND job_id IN (\(jobs)) AND state = 'pending' AND worker IS NULL
        """
    }
}

extension JobKind {
    /// The statement that enqueues a job of this kind for each row of a query, which decides how many there are.
    ///
    /// - Parameter payloads: a query of one column, the payloads as `jsonb`.
    public static func insertion(in team: TeamID, for payloads: SQL) -> SQL {
        """
        INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
        SELECT \(team), pippin_job_id(), \(kind), \(policy.priority), payload, clock_timestamp()
        FROM (\(payloads)) AS wanted (payload)
        """
    }

    /// A query of the jobs of this kind that are still to be done, or are under way; without columns, and open to more
    /// conditions.
    public static func pending(in team: TeamID) -> SQL { pending(in: "\(team)") }

    /// The same of a team that is named by an expression.
    public static func pending(in team: SQL) -> SQL {
        """
        SELECT FROM jobs
        WHERE state = 'pending' AND priority = \(policy.priority) AND team_id = \(team) AND kind = \(kind)
        """
    }
}

/// Where jobs are put: the queue, and the bell that wakes this process's worker.
public struct JobQueue: Sendable {
    private let database: TeamDatabase
    private let bell: JobBell

    public init(_ database: TeamDatabase, bell: JobBell) {
        self.database = database
        self.bell = bell
    }

    /// Enqueues a job, committed when this returns.
    ///
    /// - Returns: false when a job with its idempotence key is there already.
    @discardableResult
    public func enqueue(_ job: NewJob, in team: TeamID) async throws(PostgresFailure) -> Bool {
        let rows = try await database.query(job.insertion(in: team), in: team)
        bell.ring()
        return rows.changed == 1
    }

    /// Enqueues a job in the caller's transaction, which must be under the team's setting: it is done if that
    /// commits, and only then.
    ///
    /// - Returns: false when a job with its idempotence key is there already.
    @discardableResult
    public func enqueue(
        _ job: NewJob,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        let rows = try await transaction.query(job.insertion(in: team))
        bell.ring()
        return rows.changed == 1
    }

    /// Says that jobs were enqueued by a statement of the caller's own.
    public func ring() {
        bell.ring()
    }
}
