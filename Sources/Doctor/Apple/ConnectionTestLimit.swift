public import Bytes
public import Directory
public import Domain
public import Postgres

/// How often a team may have Apple asked from the console: Apple throttles by the team there, and so the sign-ins too.
public struct ConnectionTestLimit: Sendable {
    /// Tests within `window`, whoever of the team asks and whichever process they ask.
    static let tests = 10
    static let window = Duration.seconds(300)

    private let limits: LimitStore

    public init(_ limits: LimitStore) {
        self.limits = limits
    }

    /// Counts a test, and tells how long to wait when it is one too many.
    public func charge(_ team: TeamID, at now: Timestamp) async throws(PostgresFailure) -> Duration? {
        try await limits.charge(
            .team("apple-test"),
            limit: Self.tests,
            window: Self.window,
            in: team,
            at: now
        )
    }
}
