import Bytes
public import Postgres

/// Who may become a user of a team by themselves.
public enum Registration: String, SQLText, CaseIterable, Sendable {
    case open
    /// Those only who were asked to.
    case invitation
    case off
}

/// How the notice of a deleted account spells its event; Apple's documents know both.
public enum AccountDeleteEvent: String, SQLText, CaseIterable, Sendable {
    /// What every client in the field looks for.
    case accountDelete = "account-delete"
    case accountDeleted = "account-deleted"
}

/// How strict a team is, and how long what it issues and records lives.
public struct TeamPolicy: Hashable, Sendable {
    public static let idTokenSeconds = 60...86_400
    public static let auditRetentionDays = 30...3650

    public var registration: Registration
    /// How long an id_token lives, in seconds.
    public var idTokenSeconds: Int
    /// Whether return URLs work on verified domains only.
    public var requiresVerifiedDomains: Bool
    public var accountDeleteEvent: AccountDeleteEvent
    public var auditRetentionDays: Int

    /// Nil when a number is out of its range.
    public init?(
        registration: Registration = .open,
        idTokenSeconds: Int = 600,
        requiresVerifiedDomains: Bool = false,
        accountDeleteEvent: AccountDeleteEvent = .accountDelete,
        auditRetentionDays: Int = 400
    ) {
        guard Self.idTokenSeconds.contains(idTokenSeconds),
            Self.auditRetentionDays.contains(auditRetentionDays)
        else { return nil }
        self.registration = registration
        self.idTokenSeconds = idTokenSeconds
        self.requiresVerifiedDomains = requiresVerifiedDomains
        self.accountDeleteEvent = accountDeleteEvent
        self.auditRetentionDays = auditRetentionDays
    }

    init(_ row: inout Row) throws(PostgresFailure) {
        registration = try row.next()
        idTokenSeconds = try row.next()
        requiresVerifiedDomains = try row.next()
        accountDeleteEvent = try row.next()
        auditRetentionDays = try row.next()
    }

    /// For the audit log.
    var json: [String: JSONValue] {
        [
            "registration": .string(registration.rawValue), "idTokenSeconds": .integer(Int64(idTokenSeconds)),
            "requiresVerifiedDomains": .boolean(requiresVerifiedDomains),
            "accountDeleteEvent": .string(accountDeleteEvent.rawValue),
            "auditRetentionDays": .integer(Int64(auditRetentionDays)),
        ]
    }
}
