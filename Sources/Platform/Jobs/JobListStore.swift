public import Core
public import Postgres

/// Lists the jobs of all teams for operators, without payloads.
public struct JobListStore: Sendable {
    /// Conditions of a list.
    public struct Filter: Hashable, Sendable {
        public var kind: String?
        public var state: JobSummary.State?
        public var team: TeamID?

        public init(kind: String? = nil, state: JobSummary.State? = nil, team: TeamID? = nil) {
            self.kind = kind
            self.state = state
            self.team = team
        }
    }

    private let database: SystemDatabase

    public init(_ database: SystemDatabase) { self.database = database }

    /// Returns up to `limit` jobs, newest first, those after `cursor` if given.
    public func page(_ filter: Filter, after cursor: ListCursor? = nil, limit: Int) async throws(PostgresFailure)
        -> Page<JobSummary>
    {
        let matching = Self.condition(filter)
        let rows = try await database.query(
            """
            SELECT (
                SELECT count(*) FROM (
                    SELECT FROM jobs WHERE \(matching)
                    ORDER BY created_at DESC, job_id DESC LIMIT \(Page<JobSummary>.countLimit + 1)
                ) AS counted
            ), page.job_id IS NOT NULL, page.*
            FROM (VALUES (1)) AS one (row) LEFT JOIN (
                SELECT \(JobSummary.columns) FROM jobs
                WHERE \(matching) \(Self.following(cursor))
                ORDER BY created_at DESC, job_id DESC LIMIT \(limit + 1)
            ) AS page ON true
            ORDER BY page.created_at DESC, page.job_id DESC
            """)
        return try Page(rows, limit: limit, read: JobSummary.init) { ListCursor($0.createdAt, $0.id.rawValue) }
    }

    /// Returns the numbers of waiting, running and dead jobs that do not recur, by kind.
    public func statistics() async throws(PostgresFailure) -> [JobStatistics] {
        let rows = try await database.query(
            """
            SELECT kind, count(*) FILTER (WHERE state = 'pending' AND worker IS NULL AND due_at <= now()),
                count(*) FILTER (WHERE state = 'pending' AND worker IS NULL AND due_at > now()),
                count(*) FILTER (WHERE state = 'pending' AND worker IS NOT NULL),
                count(*) FILTER (WHERE state = 'dead'),
                extract(epoch FROM now() - min(due_at) FILTER (WHERE state = 'pending' AND due_at <= now()))::bigint
            FROM jobs WHERE state IN ('pending', 'dead') AND priority <> \(JobPolicy.Priority.recurring)
            GROUP BY kind ORDER BY kind
            """)
        return try rows.all(JobStatistics.init)
    }

    /// States are literals, because PostgreSQL uses the partial index of jobs that have not succeeded for no others.
    private static func condition(_ filter: Filter) -> SQL {
        var condition: SQL = "true"
        if let team = filter.team { condition = "\(condition) AND team_id = \(team)" }
        if let kind = filter.kind { condition = "\(condition) AND kind = \(kind)" }
        switch filter.state {
        case nil: break
        case .waiting: condition = "\(condition) AND state = 'pending' AND worker IS NULL"
        case .running: condition = "\(condition) AND state = 'pending' AND worker IS NOT NULL"
        case .dead: condition = "\(condition) AND state = 'dead'"
        case .succeeded: condition = "\(condition) AND state = 'succeeded'"
        case .cancelled: condition = "\(condition) AND state = 'cancelled'"
        }
        return condition
    }

    private static func following(_ cursor: ListCursor?) -> SQL {
        guard let cursor else { return "" }
        return "AND (created_at, job_id) < (\(cursor.at), \(cursor.id))"
    }
}

/// Numbers of jobs of a kind, by state.
public struct JobStatistics: Sendable {
    public let kind: String
    /// Waiting and due.
    public let due: Int
    /// Waiting and not due yet, as after a failed attempt.
    public let later: Int
    public let running: Int
    public let dead: Int
    /// How long the oldest due job has been due, or nil when none is.
    public let oldest: Duration?
}

extension JobStatistics {
    init(_ row: inout Row) throws(PostgresFailure) {
        kind = try row.next()
        due = try row.next()
        later = try row.next()
        running = try row.next()
        dead = try row.next()
        oldest = try row.next(Int?.self).map { .seconds($0) }
    }
}

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
        // A state that only a newer release knows is not the end of the job.
        state = State(rawValue: name) ?? .waiting
        attempts = try row.next()
        createdAt = try row.next()
        dueAt = try row.next()
        finishedAt = try row.next()
    }
}
