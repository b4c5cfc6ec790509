import Core
public import Platform
public import Postgres

/// Settings of a team, besides its logo.
public struct TeamSettings: DeclaredSettings {
    @Required public var name: TeamName
    public var mode = TeamMode.production
    /// At least one, each once, in the order of `IdentitySource`.
    public var identitySources: [IdentitySource] = [.directory] {
        didSet { identitySources = IdentitySource.allCases.filter(identitySources.contains) }
    }
    public var secondFactor = SecondFactor.optional
    public var registration = Registration.open
    /// Lifetime of an id_token in seconds.
    public var idTokenSeconds = 600
    /// Whether return URLs must be on verified domains.
    public var requiresVerifiedDomains = false
    public var accountDeleteEvent = AccountDeleteEvent.accountDelete
    public var appleKeys = AppleKeyPublication.automatic
    public var auditRetentionDays = 400
    /// Of the hosted pages; Pippin's own colour when nil.
    public var accent: AccentColour?
    public var privacyURL: LegalURL?
    public var termsURL: LegalURL?

    public init() {}

    public init(name: TeamName, mode: TeamMode) {
        self.init()
        (self.name, self.mode) = (name, mode)
    }

    public static let all: [Setting<Self>] = [
        .line("name", \.$name) { text, _ throws(ValidationError) in try TeamName(parsing: text) },
        .choice("mode", \.mode),
        .list(
            "identitySources", \.identitySources, atMost: IdentitySource.allCases.count, ifEmpty: .noIdentitySource,
            combinations: IdentitySource.combinations
        ) { text, _ throws(ValidationError) in try IdentitySource(choice: text) },
        .choice("secondFactor", \.secondFactor), .choice("registration", \.registration),
        .number("idTokenSeconds", \.idTokenSeconds, in: 60...86_400),
        .flag("requireVerifiedDomains", \.requiresVerifiedDomains), .choice("accountDeleteEvent", \.accountDeleteEvent),
        .choice("appleKeys", \.appleKeys),
        .number("auditRetentionDays", \.auditRetentionDays, in: AuditRetentionStore.days),
        .line("accentColour", \.accent, isOptional: true) { text, _ throws(ValidationError) in
            guard let colour = AccentColour(rawValue: text) else { throw .accentColour }
            return colour
        }, legalURL("privacyURL", \.privacyURL), legalURL("termsURL", \.termsURL),
    ]

    private static func legalURL(_ name: String, _ member: any WritableKeyPath<Self, LegalURL?> & Sendable) -> Setting<
        Self
    > {
        .line(name, member, isOptional: true) { text, _ throws(ValidationError) in
            guard let url = LegalURL(rawValue: text) else { throw .legalURL }
            return url
        }
    }
}

// The columns of the settings.
extension TeamSettings {
    /// The columns that `init(_:)` reads.
    public static let columns: SQL = """
        name, mode, identity_sources, second_factor, registration, id_token_seconds, requires_verified_domains,
        account_delete_event, apple_keys, audit_retention_days, accent_colour, privacy_url, terms_url
        """

    /// The values of the columns.
    var values: SQL {
        """
        \(name), \(mode), \(identitySources.map(\.rawValue)), \(secondFactor), \(registration), \(idTokenSeconds),
        \(requiresVerifiedDomains), \(accountDeleteEvent), \(appleKeys), \(auditRetentionDays), \(accent),
        \(privacyURL), \(termsURL)
        """
    }

    public init(_ row: inout Row) throws(PostgresFailure) {
        name = try row.next()
        mode = try row.next()
        identitySources = try row.next([String].self).compactMap(IdentitySource.init)
        secondFactor = try row.next()
        registration = try row.next()
        idTokenSeconds = try row.next()
        requiresVerifiedDomains = try row.next()
        accountDeleteEvent = try row.next()
        appleKeys = try row.next()
        auditRetentionDays = try row.next()
        accent = try row.next()
        privacyURL = try row.next()
        termsURL = try row.next()
    }
}

/// How strict a team is about URLs.
public enum TeamMode: String, SQLText, CaseIterable, Sendable {
    case production
    /// Permits `http` return URLs on loopback; the team's pages show that it is a sandbox.
    case sandbox
}
