public import Domain
public import Postgres

/// Stores the heartbeats of the processes.
public struct ProcessStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) { self.database = database }

    /// Stores a heartbeat, and deletes processes without one for a day.
    public func note(_ beat: ProcessHeartbeat) async throws(PostgresFailure) {
        let (open, refused) = (beat.connections, beat.refused)
        try await database.query(
            """
            WITH forgotten AS (DELETE FROM processes WHERE seen_at < now() - interval '1 day')
            INSERT INTO processes (
                process_id, host, pid, version, started_at, seen_at, clock, loops, loop_lag, memory,
                jobs_succeeded, jobs_failed, jobs_dead, flow_steps_dropped,
                connections, connections_peak, connection_limit, connections_refused_by_address,
                connections_refused_for_room, descriptor_shortages, descriptors, descriptor_limit,
                octets_in_delivery, answers_given_up, requests_refused_429, requests_refused_503,
                requests_limited
            ) VALUES (
                \(beat.id), \(beat.host), \(beat.pid), \(beat.version), \(beat.startedAt), clock_timestamp(),
                \(beat.clock), \(beat.loops), \(Int(beat.loopLag / .microseconds(1))), \(beat.memory),
                \(beat.jobsSucceeded), \(beat.jobsFailed), \(beat.jobsDead), \(beat.traceEventsDropped),
                \(open.now), \(open.peak), \(open.limit), \(open.refused), \(open.full),
                \(open.shortages), \(open.descriptors), \(open.descriptorLimit), \(open.octetsInDelivery),
                \(open.answersGivenUp), \(refused.tooMany), \(refused.unavailable),
                \(refused.limitedText)
            )
            ON CONFLICT (process_id) DO UPDATE SET
                seen_at = excluded.seen_at, clock = excluded.clock, loop_lag = excluded.loop_lag,
                memory = excluded.memory, jobs_succeeded = excluded.jobs_succeeded,
                jobs_failed = excluded.jobs_failed, jobs_dead = excluded.jobs_dead,
                flow_steps_dropped = excluded.flow_steps_dropped, connections = excluded.connections,
                connections_peak = excluded.connections_peak, connection_limit = excluded.connection_limit,
                connections_refused_by_address = excluded.connections_refused_by_address,
                connections_refused_for_room = excluded.connections_refused_for_room,
                descriptor_shortages = excluded.descriptor_shortages, descriptors = excluded.descriptors,
                descriptor_limit = excluded.descriptor_limit,
                octets_in_delivery = excluded.octets_in_delivery,
                answers_given_up = excluded.answers_given_up,
                requests_refused_429 = excluded.requests_refused_429,
                requests_refused_503 = excluded.requests_refused_503,
                requests_limited = excluded.requests_limited
            """)
    }

    /// Deletes a process that stops.
    public func remove(_ id: String) async throws(PostgresFailure) {
        try await database.query("DELETE FROM processes WHERE process_id = \(id)")
    }

    /// The processes, oldest first.
    public func list() async throws(PostgresFailure) -> [ProcessStatus] {
        let timeout = Int(ProcessStatus.timeout.components.seconds)
        let rows = try await database.query(
            """
            SELECT process_id, host, pid, version, started_at, clock, loops, loop_lag, memory, jobs_succeeded,
                jobs_failed, jobs_dead, flow_steps_dropped, connections, connections_peak, connection_limit,
                connections_refused_by_address, connections_refused_for_room, descriptor_shortages, descriptors,
                descriptor_limit, octets_in_delivery, answers_given_up, requests_refused_429, requests_refused_503,
                requests_limited, seen_at, seen_at > now() - \(timeout) * interval '1 second'
            FROM processes ORDER BY started_at, process_id
            """)
        var list: [ProcessStatus] = []
        for var row in rows {
            list.append(
                ProcessStatus(beat: try ProcessHeartbeat(&row), seenAt: try row.next(), isAlive: try row.next()))
        }
        return list
    }
}
