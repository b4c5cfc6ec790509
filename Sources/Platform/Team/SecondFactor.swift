public import Postgres

/// A team's policy for a second factor after a password; Apple asks for two factors itself.
public enum SecondFactor: String, SQLText, CaseIterable, Sendable {
    /// Neither required nor offered.
    case off
    /// Required from users who have set one up.
    case optional
    /// Required from every user; a user without one sets it up before the sign-in continues.
    case required
}
