public import Domain
public import Registry

/// How applying a registry file went.
public struct ApplyReport: Sendable {
    public enum Outcome: Hashable, Sendable {
        /// Everything is as the file says already.
        case unchanged
        case applied
        /// Something would change, and the run was a dry one.
        case wouldChange
        /// Nothing was changed, for all of these reasons; only where a change by somebody else came in between may
        /// earlier teams of the file have been applied.
        case refused([Problem])
    }

    /// The plan of one team, a line a change: `+` what comes, `~` what changes, `-` what goes.
    public struct Team: Hashable, Sendable {
        public let id: TeamID
        public let lines: [String]
    }

    public let outcome: Outcome
    /// Teams with changes, in the order of the file.
    public let teams: [Team]
}
