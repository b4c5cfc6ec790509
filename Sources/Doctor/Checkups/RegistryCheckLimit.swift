public import Bytes
public import Directory
public import Domain
public import Postgres

/// How often a team may have its domains and mail records looked at from the console.
///
/// A server may take a connection and never answer; what one team has under way shall leave room for the others.
public struct RegistryCheckLimit: Sendable {
    /// What is asked for.
    public enum Work: Sendable {
        /// One domain, or the records of one e-mail source, at that host.
        case one(host: String)
        /// A check-up of what a team has.
        case checkup
    }

    private let limits: SendingLimits

    public init(_ limits: LimitStore) {
        self.limits = SendingLimits(limits)
    }

    /// Counts the work, and tells how long to wait when it is too much.
    public func charge(
        _ work: Work,
        by member: Subject,
        of team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Duration? {
        let (kind, host): (Sending, String?) =
            switch work {
            case .one(let host): (.registryCheck, host)
            case .checkup: (.checkup, nil)
            }
        return try await limits.charge(kind, to: host, by: .account(member), in: team, at: now)
    }
}
