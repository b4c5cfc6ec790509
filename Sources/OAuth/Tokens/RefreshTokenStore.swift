public import Core
public import Platform
public import Postgres

/// Stores refresh tokens by their ids.
public struct RefreshTokenStore: Sendable {
    let database: TeamDatabase

    public init(database: TeamDatabase) { self.database = database }

    /// The columns that `SharedEmail` reads from `users` and `consents`: the address as shared at present, or NULL.
    static let sharedEmail: SQL = """
        CASE WHEN NOT consents.shares_email THEN NULL
            WHEN consents.provider IS NOT NULL THEN consents.upstream_email
            WHEN consents.hides_email THEN users.relay_address ELSE users.email END,
        CASE WHEN consents.provider IS NULL THEN users.is_email_verified
            ELSE consents.is_upstream_email_verified END,
        CASE WHEN consents.provider IS NULL THEN consents.hides_email OR users.is_private_email
            ELSE consents.is_upstream_email_private END
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
                    AND test_sign_in_id IS NOT DISTINCT FROM \(testSignIn) AND created_at >= \(notBefore)
                RETURNING sub, app_id, authenticated_at
            )
            \(Self.holder(in: team))
            """, locking: id, in: team)
        return try rows.firstValue(Holder.init)
    }

    /// The query of the columns of `Holder`, from the part `used` of a WITH clause.
    private static func holder(in team: TeamID) -> SQL {
        """
        SELECT used.sub, used.app_id, used.authenticated_at, \(sharedEmail)
        FROM used
        JOIN users ON users.team_id = \(team) AND users.sub = used.sub
        JOIN consents ON consents.team_id = \(team) AND consents.sub = used.sub AND consents.app_id = used.app_id
        WHERE users.suspended_at IS NULL
        """
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
                AND test_sign_in_id IS NULL AND \(Self.matches(secret))
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

// The sessions of public clients.
extension RefreshTokenStore {
    /// One use of a rotated token.
    struct Rotation: Sendable {
        let old: RefreshToken
        let new: RefreshToken
        let client: ClientID
        /// Tokens issued before this time are invalid.
        let issuedSince: Timestamp
        let origin: Origin
        let at: Timestamp
    }

    /// Replaces a token by its successor and returns its holder; the reuse of an earlier token ends the session.
    ///
    /// Of two concurrent uses the second waits for the first, finds its token, and so ends the session too: a statement
    /// sees what was committed before it began, so the row is locked by a preceding one. The token of a suspended user
    /// is not used; it is valid again after the suspension.
    func rotate(_ rotation: Rotation, in team: TeamID) async throws(PostgresFailure) -> Holder? {
        let live: SQL = """
            team_id = \(team) AND token_id = \(rotation.old.id) AND client_id = \(rotation.client)
                AND revoked_at IS NULL AND test_sign_in_id IS NULL
            """
        // A revoked token locks nothing, and of repeated uses of a live one only one waits at the database.
        let lock: SQL = "SELECT FROM refresh_tokens WHERE \(live) FOR NO KEY UPDATE"
        let row = LockedRow("refresh_tokens", team.rawValue, Hex.encode(rotation.old.id))
        let use: SQL = """
            WITH used AS (
                UPDATE refresh_tokens
                SET secret_hash = \(rotation.new.secretHash), last_used_at = \(rotation.at)
                WHERE \(live) AND secret_hash = \(rotation.old.secretHash) AND created_at >= \(rotation.issuedSince)
                    AND EXISTS (
                        SELECT FROM users
                        WHERE team_id = \(team) AND users.sub = refresh_tokens.sub AND suspended_at IS NULL
                    )
                RETURNING sub, app_id, authenticated_at
            ), reused AS (
                UPDATE refresh_tokens SET revoked_at = \(rotation.at)
                WHERE \(live) AND secret_hash <> \(rotation.old.secretHash)
                RETURNING sub
            ), audit AS (
                \(Self.reuse(rotation).insertion(in: team, when: "FROM reused"))
            )
            \(Self.holder(in: team))
            """
        let rows = try await database.query([lock.locking(row), use], in: team)
        return try rows.firstValue(Holder.init)
    }

    private static func reuse(_ rotation: Rotation) -> AuditEvent {
        AuditEvent(
            "refresh_token.reused", by: .client(rotation.client), on: .client(rotation.client), from: rotation.origin,
            outcome: .refused)
    }
}

// Sessions of native apps, whose tokens are stored by statements of the module Federation.
extension RefreshTokenStore {
    /// The user, the app and the sign-in of a new session.
    public struct NewSession: Sendable {
        public let subject: Subject
        public let primaryAppID: ClientID
        let clientID: ClientID
        let authenticatedAt: Timestamp
        let provider: ProviderID

        public init(
            subject: Subject, primaryAppID: ClientID, clientID: ClientID, authenticatedAt: Timestamp,
            provider: ProviderID
        ) {
            self.subject = subject
            self.primaryAppID = primaryAppID
            self.clientID = clientID
            self.authenticatedAt = authenticatedAt
            self.provider = provider
        }
    }

    /// Statement that stores the refresh token of a session and yields the `sub`.
    ///
    /// - Parameter status: a query; nothing is stored when it yields no row.
    public static func insertion(
        of token: RefreshToken, for session: NewSession, in team: TeamID, at moment: Timestamp, while status: SQL
    ) -> SQL {
        """
        INSERT INTO refresh_tokens (
            team_id, token_id, secret_hash, sub, app_id, client_id, authenticated_at, provider, created_at, last_used_at
        )
        SELECT \(team), \(token.id), \(token.secretHash), \(session.subject), \(session.primaryAppID),
            \(session.clientID), \(session.authenticatedAt), \(session.provider), \(moment), \(moment)
        WHERE EXISTS (\(status))
        RETURNING sub
        """
    }

    /// Statement that replaces the token of a live session whose user is not suspended, and yields `authenticated_at`.
    ///
    /// - Parameters:
    ///   - earlier: an SQL expression of the present token's id.
    ///   - notBefore: sessions begun before this time have ended.
    public static func replacement(
        by token: RefreshToken, of earlier: SQL, begunSince notBefore: Timestamp, in team: TeamID
    ) -> SQL {
        """
        UPDATE refresh_tokens AS session SET token_id = \(token.id), secret_hash = \(token.secretHash)
        WHERE session.team_id = \(team) AND session.token_id = \(earlier) AND session.revoked_at IS NULL
            AND session.created_at >= \(notBefore) AND EXISTS (
                SELECT FROM users AS person
                WHERE person.team_id = \(team) AND person.sub = session.sub AND person.suspended_at IS NULL
            )
        RETURNING session.authenticated_at
        """
    }
}

// The limit of refresh tokens per user.
extension RefreshTokenStore {
    /// Most tokens deleted at once.
    static let mostAtOnce = 1000

    /// Whether to check the user of a new token: for one in 64, selected by the token's random id.
    static func isDue(_ id: [UInt8]) -> Bool { id.first.map { $0 & 63 == 0 } ?? false }

    /// After some of the new tokens, trims the tokens of their user; a failure does not fail the sign-in.
    public func trim(after id: [UInt8], of subject: Subject, in team: TeamID, from origin: Origin, log: Log) async {
        guard Self.isDue(id) else { return }
        await log.attempt("refresh_tokens.not_trimmed", request: origin.requestID) {
            try await trim(of: subject, in: team)
        }
    }

    /// Deletes a user's tokens beyond `Quota.refreshTokens`: revoked ones first, then the least recently used.
    ///
    /// One token of each group is kept as evidence that the user has used it (decision 19), a live one where there is
    /// one, by which the end of a user's access finds the group; the order is that of the purge. Of very many tokens
    /// an arbitrary part is read: a token in excess within the part is in excess among all. Locked rows are skipped
    /// until the next time, so nothing waits. Each token is looked up by its key, whatever the planner estimates.
    ///
    /// - Returns: the number of deleted tokens.
    @discardableResult func trim(of subject: Subject, in team: TeamID) async throws(PostgresFailure) -> Int {
        try await database.query(
            """
            WITH excess AS MATERIALIZED (
                \(Self.excess(of: subject, in: team))
            ), held AS MATERIALIZED (
                SELECT token_id FROM excess JOIN refresh_tokens USING (token_id)
                WHERE team_id = \(team)
                FOR UPDATE OF refresh_tokens SKIP LOCKED
            )
            DELETE FROM refresh_tokens AS token USING held
            WHERE token.team_id = \(team) AND token.token_id = held.token_id
            """, in: team, durability: .relaxed
        ).changed
    }

    private static func excess(of subject: Subject, in team: TeamID) -> SQL {
        """
        SELECT token_id FROM (
            SELECT token_id, test_sign_in_id,
                row_number() OVER (ORDER BY revoked_at IS NOT NULL, last_used_at DESC, token_id) AS place,
                row_number() OVER (
                    PARTITION BY app_id, test_sign_in_id IS NULL
                    ORDER BY revoked_at DESC NULLS FIRST,
                        CASE WHEN revoked_at IS NULL THEN last_used_at END DESC, token_id DESC
                ) AS place_in_group
            FROM (
                SELECT token_id, app_id, test_sign_in_id, last_used_at, revoked_at FROM refresh_tokens
                WHERE team_id = \(team) AND sub = \(subject)
                LIMIT \(Quota.refreshTokens.count + mostAtOnce)
            ) AS part
        ) AS part
        WHERE place > \(Quota.refreshTokens.count) AND (place_in_group > 1 OR test_sign_in_id IS NOT NULL)
        """
    }
}
