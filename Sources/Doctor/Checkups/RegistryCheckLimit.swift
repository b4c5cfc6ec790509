public import Bytes
public import Directory
public import Domain
public import Postgres

/// How often a team may have its domains and mail records looked at from the console.
///
/// A server may take a connection and never answer; what one team has under way shall leave room for the others.
public struct RegistryCheckLimit: Sendable {
    /// What is asked for.
    public enum Work: Int, Sendable {
        /// One domain, or one e-mail source.
        case one = 1
        /// All that a team has, so many at a time.
        case checkup = 8
    }

    /// Things looked at at a time that may be begun within `window`, whichever process is asked.
    static let things = 16
    static let window = Duration.seconds(60)

    private let limits: LimitStore

    public init(_ limits: LimitStore) {
        self.limits = limits
    }

    /// Counts the work, and tells how long to wait when it is too much.
    public func charge(_ work: Work, of team: TeamID, at now: Timestamp) async throws(PostgresFailure)
        -> Duration?
    {
        let count = try await limits.add(
            work.rawValue,
            to: .team("registry-check"),
            window: Self.window,
            in: team,
            at: now
        )
        return count.value > Self.things ? count.endsAt - now : nil
    }
}
