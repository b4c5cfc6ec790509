public import Domain
public import Postgres

/// Keeps the signs of life of the processes.
public struct ProcessStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) {
        self.database = database
    }

    /// Says that a process lives, and forgets those that have been silent for a day.
    public func note(_ beat: ProcessBeat) async throws(PostgresFailure) {
        try await database.query(
            """
            WITH forgotten AS (DELETE FROM processes WHERE seen_at < now() - interval '1 day')
            INSERT INTO processes (
                process_id, host, pid, version, started_at, seen_at, clock, loops, loop_lag, memory,
                jobs_succeeded, jobs_failed, jobs_dead, flow_steps_dropped
            ) VALUES (
                \(beat.id), \(beat.host), \(beat.pid), \(beat.version), \(beat.startedAt), clock_timestamp(),
                \(beat.clock), \(beat.loops), \(Int(beat.loopLag / .microseconds(1))), \(beat.memory),
                \(beat.jobsSucceeded), \(beat.jobsFailed), \(beat.jobsDead), \(beat.flowStepsDropped)
            )
            ON CONFLICT (process_id) DO UPDATE SET
                seen_at = excluded.seen_at, clock = excluded.clock, loop_lag = excluded.loop_lag,
                memory = excluded.memory, jobs_succeeded = excluded.jobs_succeeded,
                jobs_failed = excluded.jobs_failed, jobs_dead = excluded.jobs_dead,
                flow_steps_dropped = excluded.flow_steps_dropped
            """
        )
    }

    /// Forgets a process that stops.
    public func remove(_ id: String) async throws(PostgresFailure) {
        try await database.query("DELETE FROM processes WHERE process_id = \(id)")
    }

    /// The processes, the oldest first.
    public func list() async throws(PostgresFailure) -> [ProcessStatus] {
        let patience = Int(ProcessStatus.patience.components.seconds)
        let rows = try await database.query(
            """
            SELECT process_id, host, pid, version, started_at, clock, loops, loop_lag, memory, jobs_succeeded,
                jobs_failed, jobs_dead, flow_steps_dropped, seen_at, seen_at > now() - \(patience) * interval '1 second'
            FROM processes ORDER BY started_at, process_id
            """
        )
        var list: [ProcessStatus] = []
        for var row in rows {
            list.append(
                ProcessStatus(
                    beat: try ProcessBeat(&row),
                    seenAt: try row.next(),
                    isAlive: try row.next()
                )
            )
        }
        return list
    }
}
