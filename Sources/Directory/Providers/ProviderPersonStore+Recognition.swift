import Domain
import Postgres

// Those who come again.
extension ProviderPersonStore {
    /// The person, where they bring nothing that is not known: one statement in place of all that may be new.
    ///
    /// Only the moment is noted, which a crash may forget.
    ///
    /// - Returns: nil where anything differs.
    func recognise(_ arrival: Arrival, in team: TeamID) async throws(PostgresFailure) -> Known? {
        guard let statement = arrival.recognition(in: team) else { return nil }
        guard var row = try await database.queryRelaxed(statement, in: team).first else { return nil }
        return try Known(&row)
    }
}

extension ProviderPersonStore.Arrival {
    /// Finds the person by the provider's name for them, with the address as it is signed today and the consent as it is.
    ///
    /// - Returns: nil where something came that comes once, or that is more than a look.
    func recognition(in team: TeamID) -> SQL? {
        guard let group, form == nil, identity.transferSubject == nil, identity.realUserStatus == nil,
            identity.observedStatus == nil
        else { return nil }
        return """
            WITH seen AS (
                UPDATE provider_identities AS known
                SET last_seen_at = greatest(known.last_seen_at, \(at)), \(coming)
                WHERE team_id = \(team) AND provider = \(provider) AND identifier = \(identity.identifier)
                    AND state = 'authorized' AND linked_at IS NULL AND \(stands(team))
                RETURNING sub, email, is_private_email
            )
            SELECT \(UserStore.columns), true, \(ConsentStore.columns)
            FROM seen
            JOIN users u ON u.team_id = \(team) AND u.sub = seen.sub
            JOIN consents c ON c.team_id = \(team) AND c.sub = seen.sub AND c.app_id = \(group)
            WHERE \(sameAddress) AND NOT EXISTS (SELECT FROM \(waiting(group, for: "seen.sub", in: team)))
            """
    }

    private var sameAddress: SQL {
        guard let email = identity.email else { return "true" }
        return """
            seen.email = \(email.address) AND seen.is_private_email = \(email.isPrivate)
                AND u.email = \(email.address) AND u.is_email_verified = \(email.isVerified)
                AND u.is_private_email = \(email.isPrivate)
                AND c.shares_email >= \(scopes.contains(.email))
            """
    }

    /// Whether apps have had a name of the person.
    func hasToldName(_ team: TeamID) -> SQL {
        """
        EXISTS (
            SELECT FROM consents
            WHERE team_id = \(team) AND sub = \(subject(team)) AND shares_name AND delivered_at IS NOT NULL
        )
        """
    }

    /// Whether the person of the row of `users` at hand has a login name.
    func hasLogin(_ team: TeamID) -> SQL {
        "EXISTS (SELECT FROM login_names WHERE login_names.team_id = \(team) AND login_names.sub = users.sub)"
    }
}
