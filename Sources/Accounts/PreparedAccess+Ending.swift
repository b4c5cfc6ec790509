public import Directory
import Federation
import OAuth
import Platform
import Postgres

extension PreparedAccess {
    /// Ends consents with their codes and tokens, and notifies the apps; ends upstream tokens and unlinks accounts at
    /// providers; deletes second factors, sessions and interactions.
    public static let everything = PreparedAccess { subject, caller, transaction in
        let (team, actor) = (caller.team, Actor.person(subject))
        try await transaction.query(UserStore.lock(subject, in: team))
        let linked = try await transaction.query(
            "SELECT DISTINCT provider FROM provider_identities WHERE team_id = \(team) AND sub = \(subject)")
        for var row in linked {
            let provider: ProviderID = try row.next()
            let parting = FederatedUnlink(of: subject, from: provider, by: actor, from: caller.origin, in: team)
            try await parting.apply(transaction)
        }
        let given = try await transaction.query(
            """
            SELECT app_id FROM consents WHERE team_id = \(team) AND sub = \(subject)
            UNION
            SELECT app_id FROM refresh_tokens
            WHERE team_id = \(team) AND sub = \(subject) AND revoked_at IS NULL
            ORDER BY app_id
            """)
        for var row in given {
            let end = AuthorizationEnd.consent(
                of: subject, for: try row.next(), in: team, by: actor, from: caller.origin)
            try await end.apply(transaction)
        }
        try await transaction.query("WITH \(UpstreamTokenEnd.parts(of: subject, in: team)) SELECT FROM provider_ended")
        try await FactorStore.removeAll(of: subject, in: team, transaction)
        try await transaction.query(SessionStore.deletion(of: subject, in: team))
        try await transaction.query(UserStore.endingSignIns(of: subject, in: team))
        let event = AuditEvent(
            "account.reclaimed", by: actor, on: AuditEvent.Target("user", subject.rawValue), from: caller.origin)
        try await event.record(in: team, transaction)
    }
}
