import Core
import Postgres

/// Everything that can be configured for a team.
public struct TeamConfiguration: Hashable, Sendable {
    public var settings: TeamSettings
    public var policy: TeamPolicy
    public var branding: Branding

    public init(settings: TeamSettings, policy: TeamPolicy = .standard, branding: Branding = Branding()) {
        (self.settings, self.policy, self.branding) = (settings, policy, branding)
    }

    init(_ row: inout Row) throws(PostgresFailure) {
        settings = try TeamSettings(&row)
        policy = try TeamPolicy(&row)
        branding = try Branding(&row)
    }

    /// The columns that `init(_:)` reads, from a table with the alias `t`.
    static let columns: SQL = """
        t.name, t.mode, t.identity_sources, t.second_factor, t.registration, t.id_token_seconds,
        t.requires_verified_domains, t.account_delete_event, t.audit_retention_days, t.accent_colour,
        t.privacy_url, t.terms_url
        """

    /// The assignments of an UPDATE's SET clause.
    var assignments: SQL {
        """
        name = \(settings.name), mode = \(settings.mode),
        identity_sources = \(settings.identitySources.map(\.rawValue)),
        second_factor = \(settings.secondFactor), registration = \(policy.registration),
        id_token_seconds = \(policy.idTokenSeconds),
        requires_verified_domains = \(policy.requiresVerifiedDomains),
        account_delete_event = \(policy.accountDeleteEvent),
        audit_retention_days = \(policy.auditRetentionDays), accent_colour = \(branding.accent),
        privacy_url = \(branding.privacyURL), terms_url = \(branding.termsURL)
        """
    }

    /// The members that differ from those of `old`, before and after, for the audit log.
    func difference(from old: TeamConfiguration) -> (before: JSONValue, after: JSONValue) {
        let (was, becomes) = (old.json, json)
        return (
            .object(was.filter { becomes[$0.key] != $0.value }), .object(becomes.filter { was[$0.key] != $0.value })
        )
    }

    private var json: [String: JSONValue] { settings.json.merging(policy.json) { $1 }.merging(branding.json) { $1 } }
}
