public import Bytes
public import Directory
public import Domain
public import Postgres

/// How often a team may have Apple asked from the console: Apple throttles by the team there, and so the sign-ins too.
public struct ConnectionTestLimit: Sendable {
    private let limits: SendingLimits

    public init(_ limits: LimitStore) {
        self.limits = SendingLimits(limits)
    }

    /// Counts so many tests of a connection, and tells how long to wait when it is too much.
    public func charge(
        _ tests: Int = 1,
        by member: Subject,
        of team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        try await limits.charge(.appleTest, tests, to: nil, by: .account(member), in: team, at: now)
    }
}
