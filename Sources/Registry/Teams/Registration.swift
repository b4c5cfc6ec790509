public import Postgres

/// Whether users may register with a team by themselves.
public enum Registration: String, SQLText, CaseIterable, Sendable {
    case open
    /// Only invited users.
    case invitation
    case off
}
