import Core
public import Postgres

/// Stores the heartbeats of the processes.
public struct ProcessStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) { self.database = database }

    /// Stores a heartbeat, and deletes those that are older than a day.
    public func note(_ beat: ProcessHeartbeat) async throws(PostgresFailure) {
        let json = String(decoding: JSON.encode(beat), as: UTF8.self)
        try await database.query(
            """
            WITH forgotten AS (DELETE FROM heartbeats WHERE seen_at < now() - interval '1 day')
            INSERT INTO heartbeats (process_id, seen_at, heartbeat)
            VALUES (\(beat.id), clock_timestamp(), \(json)::jsonb)
            ON CONFLICT (process_id) DO UPDATE SET seen_at = excluded.seen_at, heartbeat = excluded.heartbeat
            """)
    }

    /// Deletes the heartbeat of a process that stops.
    public func remove(_ id: String) async throws(PostgresFailure) {
        try await database.query("DELETE FROM heartbeats WHERE process_id = \(id)")
    }

    /// The processes, oldest first.
    public func list() async throws(PostgresFailure) -> [ProcessStatus] {
        let timeout = Int(ProcessStatus.timeout.components.seconds)
        let rows = try await database.query(
            """
            SELECT heartbeat::text, seen_at, seen_at > now() - \(timeout) * interval '1 second' FROM heartbeats
            """)
        let list = try rows.all { (row: inout Row) throws(PostgresFailure) in
            ProcessStatus(beat: try ProcessHeartbeat(&row), seenAt: try row.next(), isAlive: try row.next())
        }
        return list.sorted { ($0.beat.startedAt, $0.beat.id) < ($1.beat.startedAt, $1.beat.id) }
    }
}
