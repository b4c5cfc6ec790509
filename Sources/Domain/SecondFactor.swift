public import Postgres

/// What a team asks for beside a password; Apple has asked for two factors already.
public enum SecondFactor: String, SQLText, CaseIterable, Sendable {
    /// Never asked for and not offered.
    case off
    /// Asked of those who have one.
    case optional
    /// Asked of everybody; who has none gets one before going on.
    case required
}
