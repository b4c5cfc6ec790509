public import Core
public import Postgres

/// Heartbeat of one process, with its load and its counters since the start.
///
/// Stored as JSON and read by other versions of Pippin, so no member has to be there.
public struct ProcessHeartbeat: Codable, Sendable {
    /// Name of the process's job worker.
    @Lenient public private(set) var id = ""
    @Lenient public private(set) var host = ""
    @Lenient public private(set) var pid = 0
    @Lenient public private(set) var version = ""
    @Lenient public private(set) var startedAt = Timestamp()
    /// Time of the heartbeat by the process's own clock.
    @Lenient public private(set) var clock = Timestamp()
    @Lenient public private(set) var loops = 0
    /// Response time of the slowest loop, in microseconds.
    @Lenient public var loopLag = 0
    /// Resident memory in octets.
    @Lenient public var memory = 0
    @Lenient public var jobsSucceeded = 0
    @Lenient public var jobsFailed = 0
    @Lenient public var jobsDead = 0
    /// Trace events that found no room in the buffer or could not be written.
    @Lenient public var traceEventsDropped = 0
    @Lenient public var connections = ConnectionStatistics()
    @Lenient public var refused = RefusedRequests()
    @Lenient public var publicURL = ""
    /// Codes of the conditions that keep the process from serving or may soon.
    @Lenient public var conditions: [String] = []

    public init(id: String, host: String, pid: Int, version: String, startedAt: Timestamp, clock: Timestamp, loops: Int)
    {
        (self.id, self.host, self.pid, self.version) = (id, host, pid, version)
        (self.startedAt, self.clock, self.loops) = (startedAt, clock, loops)
    }

    init(_ row: inout Row) throws(PostgresFailure) {
        let (id, json): (String, String) = (try row.next(), try row.next())
        self = (try? JSON.decode(ProcessHeartbeat.self, from: Array(json.utf8))) ?? ProcessHeartbeat()
        self.id = id
    }

    private init() {}
}

/// Connections and file descriptors of a process.
public struct ConnectionStatistics: Codable, Equatable, Sendable, Blank {
    @Lenient public var now = 0
    /// Maximum number of simultaneous connections since the process started.
    @Lenient public var peak = 0
    @Lenient public var limit = 0
    /// Connections and forwarded requests refused since the start because their network had its maximum in flight.
    @Lenient public var refused = 0
    /// Times since the start that a connection had to wait because the process had its maximum.
    @Lenient public var full = 0
    /// Times since the start that no descriptor was left for a waiting connection.
    @Lenient public var shortages = 0
    /// Octets of responses that clients have not received yet.
    @Lenient public var octetsInDelivery = 0
    /// Connections closed since the start to free memory for the responses to others.
    @Lenient public var answersGivenUp = 0
    @Lenient public var descriptors = 0
    @Lenient public var descriptorLimit = 0

    public init() {}
}

/// Requests that a process temporarily refused since its start.
public struct RefusedRequests: Codable, Equatable, Sendable, Blank {
    /// Answered 429: the client has used up a limit.
    @Lenient public var tooMany = 0
    /// Answered 503: no capacity, no database, or no time was left.
    @Lenient public var unavailable = 0
    /// Uses that were refused, by the name of the rate limit.
    @Lenient public var limited: [String: Int] = [:]

    public init() {}
}

/// Last heartbeat of a process, with its liveness.
public struct ProcessStatus: Sendable {
    /// Time without a heartbeat after which a process counts as dead.
    static let timeout = Duration.seconds(45)

    public let beat: ProcessHeartbeat
    /// Time of the heartbeat by PostgreSQL's clock.
    public let seenAt: Timestamp
    public let isAlive: Bool
    /// How far the process's clock is ahead of PostgreSQL's; negative if it is behind, zero if its row cannot be read.
    public var clockSkew: Duration { beat.clock == Timestamp() ? .zero : beat.clock - seenAt }
}

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

    /// Writes a row and takes it away again, to see whether the database takes changes.
    public func probe(_ id: String) async throws(PostgresFailure) {
        let probe = id + " probe"
        try await database.query([
            "INSERT INTO heartbeats (process_id, seen_at, heartbeat) VALUES (\(probe), clock_timestamp(), '{}')",
            "DELETE FROM heartbeats WHERE process_id = \(probe)",
        ])
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
            SELECT process_id, heartbeat::text, seen_at, seen_at > now() - \(timeout) * interval '1 second' FROM heartbeats
            """)
        let list = try rows.all { (row: inout Row) throws(PostgresFailure) in
            ProcessStatus(beat: try ProcessHeartbeat(&row), seenAt: try row.next(), isAlive: try row.next())
        }
        return list.sorted { ($0.beat.startedAt, $0.beat.id) < ($1.beat.startedAt, $1.beat.id) }
    }
}
