import Core
public import Platform
import Postgres

/// Stores refresh tokens by their ids.
public struct RefreshTokenStore: Sendable {
    let database: TeamDatabase

    public init(database: TeamDatabase) { self.database = database }

    /// The columns that `SharedEmail` reads from `users` and `consents`: the address as shared at present, or NULL.
    static let sharedEmail: SQL = """
        CASE WHEN NOT consents.shares_email THEN NULL
            WHEN consents.provider IS NOT NULL THEN consents.provider_email
            WHEN consents.hides_email THEN users.relay_address ELSE users.email END,
        CASE WHEN consents.provider IS NULL THEN users.is_email_verified
            ELSE consents.is_provider_email_verified END,
        CASE WHEN consents.provider IS NULL THEN consents.hides_email OR users.is_private_email
            ELSE consents.is_provider_email_private END
        """

    /// The condition that the rotating half of a token is the current one; always true without such a half.
    static func matches(_ secret: [UInt8]?) -> SQL { if let secret { "secret_hash = \(secret)" } else { "true" } }

    /// The holder of a token: its user and group of apps.
    struct Holder: Sendable {
        let subject: Subject
        let primaryAppID: ClientID
        let email: SharedEmail?
        let authenticatedAt: Timestamp
    }

    /// Records the use of a live token of that client and returns its holder, with the email address as shared at
    /// present.
    func use(
        _ id: [UInt8], by client: ClientID, testSignIn: TestSignInID?, issuedSince notBefore: Timestamp,
        in team: TeamID, at moment: Timestamp
    ) async throws(PostgresFailure) -> Holder? {
        let rows = try await database.groupCommit(
            """
            WITH used AS (
                UPDATE refresh_tokens SET last_used_at = \(moment)
                WHERE team_id = \(team) AND token_id = \(id) AND client_id = \(client) AND revoked_at IS NULL
                    AND trial_id IS NOT DISTINCT FROM \(testSignIn) AND created_at >= \(notBefore)
                RETURNING sub, app_id, authenticated_at
            )
            SELECT used.sub, used.app_id, used.authenticated_at, \(Self.sharedEmail)
            FROM used
            JOIN users ON users.team_id = \(team) AND users.sub = used.sub
            JOIN consents ON consents.team_id = \(team) AND consents.sub = used.sub
                AND consents.app_id = used.app_id
            WHERE users.suspended_at IS NULL
            """, locking: id, in: team)
        return try rows.firstValue(Holder.init)
    }

    /// The user and group of a live token of that client, for its revocation.
    ///
    /// - Parameter secret: hash that the rotating half of the token must match; nil for an access token.
    func holder(of id: [UInt8], secret: [UInt8]?, client: ClientID, in team: TeamID) async throws(PostgresFailure) -> (
        subject: Subject, primaryAppID: ClientID
    )? {
        let rows = try await database.query(
            """
            SELECT sub, app_id FROM refresh_tokens
            WHERE team_id = \(team) AND token_id = \(id) AND client_id = \(client) AND revoked_at IS NULL
                AND trial_id IS NULL AND \(Self.matches(secret))
            """, in: team)
        guard var row = rows.first else { return nil }
        return (try row.next(), try row.next())
    }
}

extension RefreshTokenStore.Holder {
    init(_ row: inout Row) throws(PostgresFailure) {
        subject = try row.next()
        primaryAppID = try row.next()
        authenticatedAt = try row.next()
        email = try SharedEmail.read(&row)
    }
}

extension SharedEmail {
    /// Reads the columns of `RefreshTokenStore.sharedEmail`; nil when no address is shared.
    static func read(_ row: inout Row) throws(PostgresFailure) -> SharedEmail? {
        let address: String? = try row.next()
        let isVerified: Bool = try row.next()
        let isPrivate: Bool = try row.next()
        return address.map { SharedEmail(address: $0, isVerified: isVerified, isPrivate: isPrivate) }
    }
}
