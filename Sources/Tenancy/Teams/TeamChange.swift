import Bytes
import Postgres

/// A part of a team's settings that is changed at once: what one form holds.
public enum TeamChange: Hashable, Sendable {
    case settings(TeamSettings)
    case policy(TeamPolicy)
    case branding(Branding)

    /// What goes behind SET.
    var assignments: SQL {
        switch self {
        case .settings(let new):
            """
            name = \(new.name), mode = \(new.mode),
            identity_sources = \(new.identitySources.map(\.rawValue)), second_factor = \(new.secondFactor)
            """
        case .policy(let new):
            """
            registration = \(new.registration), id_token_seconds = \(new.idTokenSeconds),
            requires_verified_domains = \(new.requiresVerifiedDomains),
            account_delete_event = \(new.accountDeleteEvent),
            audit_retention_days = \(new.auditRetentionDays)
            """
        case .branding(let new):
            """
            accent_colour = \(new.accent), privacy_url = \(new.privacyURL), terms_url = \(new.termsURL)
            """
        }
    }

    /// The members that differ from those of `team`, as they were and will be.
    func difference(from team: Team) -> (before: JSONValue, after: JSONValue) {
        let (old, new) =
            switch self {
            case .settings(let new): (team.settings.json, new.json)
            case .policy(let new): (team.policy.json, new.json)
            case .branding(let new): (team.branding.json, new.json)
            }
        return (
            .object(old.filter { new[$0.key] != $0.value }), .object(new.filter { old[$0.key] != $0.value })
        )
    }
}
