public import Postgres

/// Event type in the notification of a deleted account; Apple's documents use both.
public enum AccountDeleteEvent: String, SQLText, CaseIterable, Sendable {
    /// The type that existing clients look for.
    case accountDelete = "account-delete"
    case accountDeleted = "account-deleted"
}
