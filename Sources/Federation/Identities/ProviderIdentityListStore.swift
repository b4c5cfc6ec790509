import Core
public import Platform
public import Postgres

/// Reads the identities of users at providers.
public struct ProviderIdentityListStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Identities of one user, oldest first.
    public func list(of subject: Subject, in team: TeamID) async throws(PostgresFailure) -> [LinkedIdentity] {
        let rows = try await database.query(
            """
            SELECT provider, identifier, transfer_sub, real_user_status::bigint, form_given_name, form_family_name,
                form_email, form_received_at, email, is_private_email, linked_at, state, state_at, created_at,
                last_seen_at
            FROM provider_identities
            WHERE team_id = \(team) AND sub = \(subject)
            ORDER BY created_at, identifier
            """, in: team)
        return try rows.all(LinkedIdentity.init)
    }
}

extension LinkedIdentity {
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        provider = try row.next()
        identifier = try row.next()
        transferSubject = try row.next()
        realUserStatus = try row.next()
        let (givenName, familyName): (String, String) = (try row.next(), try row.next())
        let (email, receivedAt): (String?, Timestamp?) = (try row.next(), try row.next())
        vault = receivedAt.map { Vault(givenName: givenName, familyName: familyName, email: email, receivedAt: $0) }
        self.email = try row.next()
        isEmailPrivate = try row.next()
        linkedAt = try row.next()
        state = try row.next()
        stateAt = try row.next()
        createdAt = try row.next()
        lastSeenAt = try row.next()
    }
}
