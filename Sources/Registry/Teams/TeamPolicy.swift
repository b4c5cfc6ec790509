import Core
import Platform
public import Postgres

/// Restrictions of a team, and lifetimes of what it issues and records.
public struct TeamPolicy: Hashable, Sendable {
    public static let idTokenSeconds = 60...86_400
    public static let auditRetentionDays = AuditRetentionStore.days

    public var registration: Registration
    /// Lifetime of an id_token in seconds, within `idTokenSeconds`.
    public var idTokenSeconds: Int
    /// Whether return URLs must be on verified domains.
    public var requiresVerifiedDomains: Bool
    public var accountDeleteEvent: AccountDeleteEvent
    public var auditRetentionDays: Int

    /// The policy of a new team.
    public static let standard = TeamPolicy(
        registration: .open, idTokenSeconds: 600, requiresVerifiedDomains: false, accountDeleteEvent: .accountDelete,
        auditRetentionDays: 400)

    /// The members as JSON, for the audit log.
    var json: [String: JSONValue] {
        [
            "registration": .string(registration.rawValue), "idTokenSeconds": .integer(Int64(idTokenSeconds)),
            "requiresVerifiedDomains": .boolean(requiresVerifiedDomains),
            "accountDeleteEvent": .string(accountDeleteEvent.rawValue),
            "auditRetentionDays": .integer(Int64(auditRetentionDays)),
        ]
    }
}

/// Whether users may register with a team by themselves.
public enum Registration: String, SQLText, CaseIterable, Sendable {
    case open
    /// Only invited users.
    case invitation
    case off
}

/// Event type in the notification of a deleted account; Apple's documents use both.
public enum AccountDeleteEvent: String, SQLText, CaseIterable, Sendable {
    /// The type that existing clients look for.
    case accountDelete = "account-delete"
    case accountDeleted = "account-deleted"
}

extension TeamPolicy {
    init(_ row: inout Row) throws(PostgresFailure) {
        self.init(
            registration: try row.next(), idTokenSeconds: try row.next(), requiresVerifiedDomains: try row.next(),
            accountDeleteEvent: try row.next(), auditRetentionDays: try row.next())
    }
}
