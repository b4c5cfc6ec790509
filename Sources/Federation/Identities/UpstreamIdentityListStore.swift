public import Platform
public import Postgres

/// Reads the identities of users at providers.
public struct UpstreamIdentityListStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Identities of one user, oldest first.
    public func list(of subject: Subject, in team: TeamID) async throws(PostgresFailure) -> [LinkedIdentity] {
        let rows = try await database.query(
            """
            SELECT provider, identifier, transfer_sub, real_user_status::bigint, form_given_name, form_family_name,
                form_email, form_received_at, email, is_private_email, linked_at, state, state_at, created_at,
                last_seen_at
            FROM upstream_identities
            WHERE team_id = \(team) AND sub = \(subject)
            ORDER BY created_at, identifier
            """, in: team)
        return try rows.all(LinkedIdentity.init)
    }
}
