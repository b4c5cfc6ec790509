public import Bytes
public import Directory
public import Domain
public import Postgres

/// Limit on a team's connection tests from the console, because Apple throttles per Apple team, sign-ins included.
public struct ConnectionTestLimit: Sendable {
    private let limits: SendingLimits

    public init(_ limits: LimitStore) { self.limits = SendingLimits(limits) }

    /// Counts `tests` connection tests.
    ///
    /// - Returns: how long to wait when the limit is exceeded, else nil.
    public func charge(_ tests: Int = 1, by member: Subject, of team: TeamID, at now: Timestamp)
        async throws(PostgresFailure) -> Duration?
    { try await limits.charge(.appleTest, tests, to: nil, by: .account(member), in: team, at: now) }
}
