public import Bytes
import Postgres

/// Heartbeat of one process, with its load and counters.
public struct ProcessHeartbeat: Sendable {
    /// Name of the process's job worker.
    public let id: String
    public let host: String
    public let pid: Int
    public let version: String
    public let startedAt: Timestamp
    /// Time of the heartbeat by the process's own clock.
    public let clock: Timestamp
    public let loops: Int
    /// Response time of the slowest loop.
    public let loopLag: Duration
    /// Resident memory in octets.
    public let memory: Int
    public let jobsSucceeded: Int
    public let jobsFailed: Int
    public let jobsDead: Int
    /// Trace events that found no room in the buffer or could not be written.
    public let traceEventsDropped: Int
    public let connections: ConnectionStatistics
    public let refused: RefusedRequests

    public init(
        id: String, host: String, pid: Int, version: String, startedAt: Timestamp, clock: Timestamp, loops: Int,
        loopLag: Duration, memory: Int, jobs: (succeeded: Int, failed: Int, dead: Int), traceEventsDropped: Int,
        connections: ConnectionStatistics = ConnectionStatistics(), refused: RefusedRequests
    ) {
        self.id = id
        self.host = host
        self.pid = pid
        self.version = version
        self.startedAt = startedAt
        self.clock = clock
        self.loops = loops
        self.loopLag = loopLag
        self.memory = memory
        (jobsSucceeded, jobsFailed, jobsDead) = jobs
        self.traceEventsDropped = traceEventsDropped
        self.connections = connections
        self.refused = refused
    }

    init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        host = try row.next()
        pid = try row.next()
        version = try row.next()
        startedAt = try row.next()
        clock = try row.next()
        loops = try row.next()
        loopLag = .microseconds(try row.next(Int.self))
        memory = try row.next()
        jobsSucceeded = try row.next()
        jobsFailed = try row.next()
        jobsDead = try row.next()
        traceEventsDropped = try row.next()
        connections = try ConnectionStatistics(&row)
        refused = RefusedRequests(
            tooMany: try row.next(), unavailable: try row.next(), limited: RefusedRequests.limited(try row.next()))
    }
}

/// Last heartbeat of a process, with its liveness.
public struct ProcessStatus: Sendable {
    /// Time without a heartbeat after which a process counts as dead.
    static let timeout = Duration.seconds(45)

    public let beat: ProcessHeartbeat
    /// Time of the heartbeat by PostgreSQL's clock.
    public let seenAt: Timestamp
    public let isAlive: Bool
    /// How far the process's clock is ahead of PostgreSQL's; negative if it is behind.
    public var clockSkew: Duration { beat.clock - seenAt }
}
