public import Core
public import Platform

/// Result of applying a registry file.
public struct ApplyReport: Sendable {
    public enum Outcome: Hashable, Sendable {
        /// Every team is already as in the file.
        case unchanged
        case applied
        /// There are changes, and the run was a dry run.
        case wouldChange
        /// Nothing was changed, for these reasons; after a concurrent change, earlier teams of the file may be applied.
        case refused(FieldErrors)
        /// These teams were applied; the next one was not, for this reason.
        case interrupted(String)
    }

    /// The plan of one team, one line per change: `+` for additions, `~` for updates, `-` for removals.
    public struct Team: Hashable, Sendable {
        public let id: TeamID
        public let lines: [String]
    }

    public let outcome: Outcome
    /// Teams with changes, in the order of the file.
    public let teams: [Team]
}

/// Options for applying a registry file.
public struct ApplyOptions: Sendable {
    /// Reports the changes without making them.
    public var isDryRun = false
    /// Removes what a list of the file does not name; lists absent from the file are left unchanged.
    public var prunes = false
    /// Also sets the passwords and authenticator apps of existing users.
    public var resetsCredentials = false
    /// Whether `appleKeys` may become `always`: the answer to the question what that means.
    public var acceptsAppleTokens = false

    public init() {}
}
