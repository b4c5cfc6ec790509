import Audit
import Bytes
import Domain
import Postgres

/// Keeps refresh tokens by their ids.
struct RefreshTokenStore: Sendable {
    let database: TeamDatabase

    /// What `SharedEmail` reads of `users` and `consents`: the address as it is shared today, or NULL.
    static let sharedEmail: SQL = """
        CASE WHEN NOT consents.shares_email THEN NULL
            WHEN consents.provider IS NOT NULL THEN consents.provider_email
            WHEN consents.hides_email THEN users.relay_address ELSE users.email END,
        CASE WHEN consents.provider IS NULL THEN users.is_email_verified
            ELSE consents.is_provider_email_verified END,
        CASE WHEN consents.provider IS NULL THEN consents.hides_email OR users.is_private_email
            ELSE consents.is_provider_email_private END
        """

    /// Whether the half of a token that changes is the newest; where nothing changes there is nothing to match.
    static func matches(_ secret: [UInt8]?) -> SQL {
        if let secret { "secret_hash = \(secret)" } else { "true" }
    }

    /// Whom a token stands for.
    struct Holder: Sendable {
        let subject: Subject
        let group: ClientID
        let email: SharedEmail?
        let authenticatedAt: Timestamp
    }

    /// Notes the use of a live token of that client and tells whom it stands for, with the address as it is
    /// shared today.
    func use(
        _ id: [UInt8],
        by client: ClientID,
        trial: TrialID?,
        issuedSince cutoff: Timestamp,
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) -> Holder? {
        let rows = try await database.queryJointly(
            """
            WITH used AS (
                UPDATE refresh_tokens SET last_used_at = \(moment)
                WHERE team_id = \(team) AND token_id = \(id) AND client_id = \(client) AND revoked_at IS NULL
                    AND trial_id IS NOT DISTINCT FROM \(trial) AND created_at >= \(cutoff)
                RETURNING sub, app_id, authenticated_at
            )
            SELECT used.sub, used.app_id, used.authenticated_at, \(Self.sharedEmail)
            FROM used
            JOIN users ON users.team_id = \(team) AND users.sub = used.sub
            JOIN consents ON consents.team_id = \(team) AND consents.sub = used.sub
                AND consents.app_id = used.app_id
            WHERE users.suspended_at IS NULL
            """,
            locking: id,
            in: team
        )
        return try rows.firstValue(Holder.init)
    }

    /// The person and group behind a live token of that client, for its revocation.
    ///
    /// - Parameter secret: what the half of the token that changes must match; nil behind an access token.
    func holder(
        of id: [UInt8],
        secret: [UInt8]?,
        client: ClientID,
        in team: TeamID
    ) async throws(PostgresFailure) -> (subject: Subject, group: ClientID)? {
        let rows = try await database.query(
            """
            SELECT sub, app_id FROM refresh_tokens
            WHERE team_id = \(team) AND token_id = \(id) AND client_id = \(client) AND revoked_at IS NULL
                AND trial_id IS NULL AND \(Self.matches(secret))
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        return (try row.next(), try row.next())
    }

    /// Revokes the one token of a trial: the consent behind it is the person's own, and no trial ends that.
    func revoke(
        _ id: [UInt8],
        ofTrial trial: TrialID,
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE refresh_tokens SET revoked_at = \(moment)
            WHERE team_id = \(team) AND token_id = \(id) AND trial_id = \(trial) AND revoked_at IS NULL
            """,
            in: team
        )
    }

    /// Revokes the one token that a code issued which is now presented a second time; told where there was one, so that
    /// a code which comes again and again is told once.
    func revoke(
        _ id: [UInt8],
        event: AuditEvent,
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) {
        try await database.query(
            """
            WITH revoked AS (
                UPDATE refresh_tokens SET revoked_at = \(moment)
                WHERE team_id = \(team) AND token_id = \(id) AND revoked_at IS NULL
                RETURNING 1
            )
            \(event.insertion(in: team, when: "FROM revoked"))
            """,
            in: team
        )
    }
}

extension RefreshTokenStore.Holder {
    init(_ row: inout Row) throws(PostgresFailure) {
        subject = try row.next()
        group = try row.next()
        authenticatedAt = try row.next()
        email = try SharedEmail.read(&row)
    }
}

extension SharedEmail {
    /// Reads the columns of `RefreshTokenStore.sharedEmail`, or nil where no address is shared.
    static func read(_ row: inout Row) throws(PostgresFailure) -> SharedEmail? {
        let address: String? = try row.next()
        let isVerified: Bool = try row.next()
        let isPrivate: Bool = try row.next()
        return address.map { SharedEmail(address: $0, isVerified: isVerified, isPrivate: isPrivate) }
    }
}
