import EventLoop
import Platform

/// What a process has seen of its database, by monotonic times in nanoseconds.
struct DatabaseObservations: Sendable {
    /// Time without an answer or a write after which a database does not do what sign-ins need.
    static let limit: Int64 = 3_000_000_000
    /// Consecutive failures or looks after which something is no accident.
    static let many = 3

    /// Last answer of the watching connection.
    var answeredAt: Int64
    /// Consecutive failures of the watching connection, and the cause of the last one.
    var failures = 0
    var problem = ""
    /// Last write, and why none has succeeded since.
    var writtenAt: Int64
    var writeProblem = ""
    /// Consecutive looks at which a loop had no connection of a kind, and why.
    var unconnected = 0
    var poolProblem = ""

    init(at now: Int64) { (answeredAt, writtenAt) = (now, now) }

    /// Why the database does not do what sign-ins need; nil if it does.
    func trouble(at now: Int64) -> ReadinessCode? {
        let isSilent = now - answeredAt >= Self.limit
        if isSilent || failures >= Self.many {
            return ReadinessCode(ofProblem: problem) ?? (problem.isEmpty ? .databaseSilent : .databaseUnreachable)
        }
        if unconnected >= Self.many { return ReadinessCode(ofProblem: poolProblem) ?? .databaseUnreachable }
        guard now - writtenAt >= Self.limit + Readiness.writeInterval.nanoseconds else { return nil }
        let code = ReadinessCode(ofProblem: writeProblem) ?? .databaseStalled
        // Reads are answered meanwhile.
        return code == .databaseSilent ? .databaseStalled : code
    }

    /// Forgives a time in which the process itself was suspended.
    mutating func forgive(at now: Int64) { (answeredAt, writtenAt) = (now, now) }
}
