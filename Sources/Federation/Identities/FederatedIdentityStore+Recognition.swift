import Directory
import OAuth
import Platform
import Postgres

// Repeated logins without new data.
extension FederatedIdentityStore {
    /// Finds the user of a login without new data: one statement in place of all those that store a login.
    ///
    /// Only the time and the group of apps are written, which a crash may lose.
    ///
    /// - Returns: nil if anything differs.
    func recognise(_ login: Login, in team: TeamID) async throws(PostgresFailure) -> Known? {
        guard let statement = login.recognition(in: team) else { return nil }
        guard var row = try await database.query(statement, in: team, durability: .relaxed).first else { return nil }
        return try Known(&row)
    }
}

extension FederatedIdentityStore.Login {
    /// Statement that finds the user by the provider's identifier if the signed address and the consent are unchanged.
    ///
    /// - Returns: nil if the login contains data that is sent only once, or needs more than a lookup.
    func recognition(in team: TeamID) -> SQL? {
        guard let primaryAppID, form == nil, identity.transferSubject == nil, identity.realUserStatus == nil,
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
            JOIN consents c ON c.team_id = \(team) AND c.sub = seen.sub AND c.app_id = \(primaryAppID)
            WHERE \(sameAddress) AND NOT EXISTS (SELECT FROM \(waiting(primaryAppID, for: "seen.sub", in: team)))
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

    /// Condition that a name of the user was delivered to apps.
    func hasToldName(_ team: TeamID) -> SQL {
        """
        EXISTS (
            SELECT FROM consents
            WHERE team_id = \(team) AND sub = \(subject(team)) AND shares_name AND delivered_at IS NOT NULL
        )
        """
    }

    /// Condition that the user of the current `users` row has a login name.
    func hasLogin(_ team: TeamID) -> SQL {
        "EXISTS (SELECT FROM login_names WHERE login_names.team_id = \(team) AND login_names.sub = users.sub)"
    }
}
