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
    /// How long an id_token lives, in seconds, within `idTokenSeconds`.
    public var idTokenSeconds: Int
    /// Whether return URLs work on verified domains only.
    public var requiresVerifiedDomains: Bool
    public var accountDeleteEvent: AccountDeleteEvent
    public var auditRetentionDays: Int

    /// Of a new team.
    public static let standard = TeamPolicy(
        registration: .open,
        idTokenSeconds: 600,
        requiresVerifiedDomains: false,
        accountDeleteEvent: .accountDelete,
        auditRetentionDays: 400
    )

    init(_ row: inout Row) throws(PostgresFailure) {
        registration = try row.next()
        idTokenSeconds = try row.next()
        requiresVerifiedDomains = try row.next()
        accountDeleteEvent = try row.next()
        auditRetentionDays = try row.next()
    }

    private init(
        registration: Registration,
        idTokenSeconds: Int,
        requiresVerifiedDomains: Bool,
        accountDeleteEvent: AccountDeleteEvent,
        auditRetentionDays: Int
    ) {
        self.registration = registration
        self.idTokenSeconds = idTokenSeconds
        self.requiresVerifiedDomains = requiresVerifiedDomains
        self.accountDeleteEvent = accountDeleteEvent
        self.auditRetentionDays = auditRetentionDays
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
