public import Core
public import Platform
public import Postgres

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

extension TeamPolicy {
    init(_ row: inout Row) throws(PostgresFailure) {
        self.init(
            registration: try row.next(), idTokenSeconds: try row.next(), requiresVerifiedDomains: try row.next(),
            accountDeleteEvent: try row.next(), auditRetentionDays: try row.next())
    }
}

/// How strict a team is about URLs.
public enum TeamMode: String, SQLText, CaseIterable, Sendable {
    case production
    /// Permits `http` return URLs on loopback; the team's pages show that it is a sandbox.
    case sandbox
}

/// Where the users of a team authenticate.
public enum IdentitySource: String, SQLText, CaseIterable, Sendable {
    /// The team's own users with their passwords.
    case directory
    /// Apple, with the team's own key.
    case apple
}

/// Settings of a team that an owner can change.
public struct TeamSettings: Hashable, Sendable {
    public var name: TeamName
    public var mode: TeamMode
    /// At least one, each once, in the order of `IdentitySource`.
    public private(set) var identitySources: [IdentitySource]
    public var secondFactor: SecondFactor

    /// Returns nil without an identity source, because then no user could sign in.
    public init?(
        name: TeamName, mode: TeamMode, identitySources: Set<IdentitySource> = [.directory],
        secondFactor: SecondFactor = .optional
    ) {
        guard !identitySources.isEmpty else { return nil }
        self.name = name
        self.mode = mode
        self.identitySources = IdentitySource.allCases.filter(identitySources.contains)
        self.secondFactor = secondFactor
    }

    /// Returns the settings with other identity sources; nil when there is none.
    public func drawing(on sources: Set<IdentitySource>) -> TeamSettings? {
        TeamSettings(name: name, mode: mode, identitySources: sources, secondFactor: secondFactor)
    }

    /// Reads the columns `name`, `mode`, `identity_sources` and `second_factor`.
    public init(_ row: inout Row) throws(PostgresFailure) {
        name = try row.next()
        mode = try row.next()
        identitySources = try row.next([String].self).compactMap(IdentitySource.init)
        secondFactor = try row.next()
    }

    /// The members as JSON, for the audit log.
    public var json: [String: JSONValue] {
        [
            "name": .string(name.rawValue), "mode": .string(mode.rawValue),
            "identitySources": .array(identitySources.map { .string($0.rawValue) }),
            "secondFactor": .string(secondFactor.rawValue),
        ]
    }
}
