public import Bytes
public import Domain
public import Postgres

/// State of a schedule, for operators.
public struct ScheduleStatus: Sendable {
    public let name: String
    public let interval: Duration
    public let dueAt: Timestamp
    /// The worker that runs it now, or nil.
    public let worker: WorkerID?
    public let startedAt: Timestamp?
    public let finishedAt: Timestamp?
    /// Duration of the last run.
    public let milliseconds: Int?
    public let runs: Int
    /// Why the last run failed, or nil when it succeeded.
    public let problem: String?
}

extension ScheduleStatus {
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        name = try row.next()
        interval = .seconds(try row.next(Int.self))
        dueAt = try row.next()
        worker = try row.next()
        startedAt = try row.next()
        finishedAt = try row.next()
        milliseconds = try row.next()
        runs = try row.next()
        problem = try row.next()
    }
}

/// Stores schedules and assigns their runs to workers.
public struct ScheduleStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) { self.database = database }

    /// Returns every schedule that a process has ever declared, by name.
    public func list() async throws(PostgresFailure) -> [ScheduleStatus] {
        let rows = try await database.query(
            """
            SELECT name, every_seconds, due_at, worker, started_at, finished_at, milliseconds, runs, problem
            FROM schedules ORDER BY name
            """)
        return try rows.all(ScheduleStatus.init)
    }

    /// Stores a schedule, or its new interval; a shorter interval than before takes effect at once.
    func declare(_ name: String, every interval: Duration) async throws(PostgresFailure) {
        let seconds = Int(interval.components.seconds)
        try await database.query(
            """
            INSERT INTO schedules AS known (name, every_seconds) VALUES (\(name), \(seconds))
            ON CONFLICT (name) DO UPDATE
            SET every_seconds = excluded.every_seconds,
                due_at = LEAST(known.due_at, now() + excluded.every_seconds * interval '1 second')
            WHERE known.every_seconds <> excluded.every_seconds
            """)
    }

    /// Claims those of the schedules that are due and not running, and returns their names.
    func claim(_ names: [String], worker: WorkerID, lease: Duration) async throws(PostgresFailure) -> [String] {
        let rows = try await database.query(
            """
            UPDATE schedules
            SET worker = \(worker), due_at = now() + \(lease.interval), started_at = now()
            WHERE name = ANY (\(names)) AND due_at <= now()
            RETURNING name
            """)
        return try rows.column()
    }

    /// Renews the leases of schedules that are running.
    func renew(_ names: [String], worker: WorkerID, lease: Duration) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE schedules SET due_at = now() + \(lease.interval)
            WHERE name = ANY (\(names)) AND worker = \(worker)
            """)
    }

    /// Ends a run; the next one starts an interval after this one began, or now if it took longer.
    func finish(_ name: String, worker: WorkerID, problem: String?) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE schedules
            SET worker = NULL, finished_at = clock_timestamp(), runs = runs + 1, problem = \(problem),
                milliseconds = extract(epoch FROM clock_timestamp() - started_at) * 1000,
                due_at = GREATEST(started_at + every_seconds * interval '1 second', clock_timestamp())
            WHERE name = \(name) AND worker = \(worker)
            """)
    }

    /// Releases schedules whose runs will not be finished.
    func release(_ names: [String], worker: WorkerID) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE schedules SET worker = NULL, due_at = now()
            WHERE name = ANY (\(names)) AND worker = \(worker)
            """)
    }
}
