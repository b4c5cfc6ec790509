public import Bytes
public import Directory
public import Domain
public import Postgres

/// Limit on checks of a team's domains and mail records that are started from the console.
///
/// A server may accept a connection and never answer, so the checks of one team must leave capacity to other teams.
public struct RegistryCheckLimit: Sendable {
    /// Kind of a check.
    public enum Work: Sendable {
        /// One domain, or the records of one e-mail source, at `host`.
        case one(host: String)
        /// A check-up of the team.
        case checkup
    }

    private let limits: SendingLimits

    public init(_ limits: LimitStore) { self.limits = SendingLimits(limits) }

    /// Counts a check.
    ///
    /// - Returns: how long to wait when the limit is exceeded, else nil.
    public func charge(_ work: Work, by member: Subject, of team: TeamID, at now: Timestamp)
        async throws(PostgresFailure) -> Duration?
    {
        let (kind, host): (Sending, String?) =
            switch work {
            case .one(let host): (.registryCheck, host)
            case .checkup: (.checkup, nil)
            }
        return try await limits.charge(kind, to: host, by: .account(member), in: team, at: now)
    }
}
