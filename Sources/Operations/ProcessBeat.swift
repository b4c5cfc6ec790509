public import Bytes
import Postgres

/// A sign of life of one process.
public struct ProcessBeat: Sendable {
    /// The name of its worker of jobs.
    public let id: String
    public let host: String
    public let pid: Int
    public let version: String
    public let startedAt: Timestamp
    /// By the process's own clock.
    public let clock: Timestamp
    public let loops: Int
    /// How long the slowest loop took to answer.
    public let loopLag: Duration
    /// Resident octets.
    public let memory: Int
    public let jobsSucceeded: Int
    public let jobsFailed: Int
    public let jobsDead: Int
    /// Steps of sign-ins that found no room, or could not be written.
    public let flowStepsDropped: Int
    public let connections: ConnectionBeat
    public let refused: RefusedRequests

    public init(
        id: String,
        host: String,
        pid: Int,
        version: String,
        startedAt: Timestamp,
        clock: Timestamp,
        loops: Int,
        loopLag: Duration,
        memory: Int,
        jobs: (succeeded: Int, failed: Int, dead: Int),
        flowStepsDropped: Int,
        connections: ConnectionBeat = ConnectionBeat(),
        refused: RefusedRequests
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
        self.flowStepsDropped = flowStepsDropped
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
        flowStepsDropped = try row.next()
        connections = try ConnectionBeat(&row)
        refused = RefusedRequests(tooMany: try row.next(), unavailable: try row.next())
    }
}

/// The last sign of life of a process, as operators see it.
public struct ProcessStatus: Sendable {
    /// A process that has been silent for so long is taken for dead.
    static let patience = Duration.seconds(45)

    public let beat: ProcessBeat
    /// By PostgreSQL's clock.
    public let seenAt: Timestamp
    public let isAlive: Bool
    /// How far the process's clock is ahead of PostgreSQL's.
    public var clockSkew: Duration { beat.clock - seenAt }
}
