import Audit
public import Directory
import Domain
import Postgres

extension PreparedAccess {
    /// Ends consents with their codes and tokens, whose apps are told; what providers gave, and the accounts there that
    /// were connected; second factors; sessions and sign-ins under way.
    public static let everything = PreparedAccess { subject, caller, transaction in
        let (team, actor) = (caller.team, Actor.person(subject))
        try await transaction.query(UserStore.lock(subject, in: team))
        let linked = try await transaction.query(
            "SELECT DISTINCT provider FROM provider_identities WHERE team_id = \(team) AND sub = \(subject)"
        )
        for var row in linked {
            let provider: ProviderID = try row.next()
            let parting = ProviderParting(
                of: subject,
                from: provider,
                by: actor,
                from: caller.origin,
                in: team
            )
            try await parting.apply(transaction)
        }
        let given = try await transaction.query(
            """
            SELECT app_id FROM consents WHERE team_id = \(team) AND sub = \(subject)
            UNION
            SELECT app_id FROM refresh_tokens
            WHERE team_id = \(team) AND sub = \(subject) AND revoked_at IS NULL
            ORDER BY app_id
            """
        )
        for var row in given {
            try await ConsentEndStore.end(
                of: subject,
                for: try row.next(),
                in: team,
                by: actor,
                from: caller.origin,
                transaction
            )
        }
        try await transaction.query(
            "WITH \(ProviderTokenEnd.parts(of: subject, in: team)) SELECT FROM provider_ended"
        )
        for table: SQL in ["totp_secrets", "passkeys", "recovery_codes", "sessions"] {
            try await transaction.query("DELETE FROM \(table) WHERE team_id = \(team) AND sub = \(subject)")
        }
        try await transaction.query(UserStore.endingSignIns(of: subject, in: team))
        let event = AuditEvent(
            "account.reclaimed",
            by: actor,
            on: AuditEvent.Target("user", subject.rawValue),
            from: caller.origin
        )
        try await event.record(in: team, transaction)
    }
}
