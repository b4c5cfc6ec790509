import Core
import Directory
import Platform
import Postgres

/// Stores authorization codes from their issue until some time after their redemption.
struct CodeStore: Sendable {
    let database: TeamDatabase

    /// The values stored with a new code.
    struct Issue: Sendable {
        let code: AuthorizationCode
        let subject: Subject
        let email: SharedEmail?
        let deliversUser: Bool
        let authenticatedAt: Timestamp
        /// The provider that authenticated the user; nil for the directory.
        let provider: ProviderID?
        let expiresAt: Timestamp
        /// The sign-in trace of the interaction, to which the redemption is added.
        let trace: TraceID
    }

    /// The values a client presents to redeem a code.
    struct Claim: Sendable {
        let code: AuthorizationCode
        let clientID: ClientID
        /// Nil when the client leaves it out, because the code is bound to the client (OAuth 2.1 section 4.1.3).
        let redirectURI: String?
        let codeChallenge: String?
        let testSignIn: TestSignInID?
        let tokenID: [UInt8]
        /// Codes issued before this time are invalid.
        let notBefore: Timestamp
    }

    /// Ends an interaction and stores its code in one statement: of two requests only one gets a code, and none does
    /// after the user's consent has ended.
    ///
    /// - Parameters:
    ///   - statements: statements to run first in the same transaction, whether or not a code is issued; the user's row
    ///     is locked.
    ///   - status: a query that must return a row; otherwise no code is issued and the interaction remains.
    ///   - completion: parts of a WITH clause, which take effect when `FROM issued` returns a row.
    func exchange(
        _ interaction: Interaction, for issue: Issue, with statements: [SQL] = [], while status: SQL? = nil,
        completion: SQL? = nil
    ) async throws(PostgresFailure) -> Bool {
        let team = interaction.team
        let more: SQL = completion.map { ", \($0)" } ?? ""
        let condition: SQL = status.map { "AND EXISTS (\($0))" } ?? ""
        let exchange: SQL = """
            WITH ended AS (
                DELETE FROM interactions
                WHERE \(interaction.condition)
                    AND EXISTS (
                        SELECT FROM consents
                        WHERE team_id = \(team) AND consents.sub = \(issue.subject)
                            AND consents.app_id = interactions.app_id
                    ) \(condition)
                RETURNING client_id, app_id, redirect_uri, nonce, code_challenge, test_sign_in_id
            ), issued AS (
                INSERT INTO authorization_codes (
                    team_id, time_partition, code_hash, client_id, app_id, sub, redirect_uri, nonce, code_challenge, email,
                    is_email_verified, is_private_email, delivers_user, test_sign_in_id, authenticated_at, provider,
                    expires_at, trace_id
                )
                SELECT \(team), \(issue.code.timePartition.number), \(issue.code.hash), client_id, app_id, \(issue.subject),
                    nullif(redirect_uri, ''), nonce, code_challenge, \(issue.email?.address),
                    \(issue.email?.isVerified ?? false), \(issue.email?.isPrivate ?? false), \(issue.deliversUser),
                    test_sign_in_id, \(issue.authenticatedAt), \(issue.provider), \(issue.expiresAt), \(issue.trace)
                FROM ended
                RETURNING code_hash
            )\(more)
            SELECT code_hash FROM issued
            """
        let lock = UserStore.lock(issue.subject, in: team)
        let rows = try await database.groupCommit(
            [lock] + statements + [exchange], locking: Array(issue.subject.rawValue.utf8), in: team)
        return !rows.isEmpty
    }

    /// Redeems a code in one statement: its WHERE clause admits only the client the code was issued to, with the right
    /// redirect URI, if any, and verifier, before expiry, once, and for an existing user who is not suspended.
    ///
    /// The same statement stores the refresh token and records that `user` was delivered.
    func redeem(_ claim: Claim, in team: TeamID, at moment: Timestamp) async throws(PostgresFailure) -> CodeGrant? {
        let rows = try await database.groupCommit(
            """
            WITH redeemed AS (
                UPDATE authorization_codes
                SET redeemed_at = \(moment), token_id = \(claim.tokenID)
                WHERE team_id = \(team) AND \(claim.code.timePartition.condition) AND code_hash = \(claim.code.hash)
                    AND redeemed_at IS NULL AND expires_at > \(claim.deadline(at: moment))
                    AND client_id = \(claim.clientID)
                    AND redirect_uri IS NOT DISTINCT FROM coalesce(\(claim.redirectURI), redirect_uri)
                    AND (code_challenge IS NULL OR code_challenge = \(claim.codeChallenge))
                    AND test_sign_in_id IS NOT DISTINCT FROM \(claim.testSignIn)
                    AND EXISTS (
                        SELECT FROM users
                        WHERE team_id = \(team) AND users.sub = authorization_codes.sub AND suspended_at IS NULL
                    )
                RETURNING sub, app_id, nonce, email, is_email_verified, is_private_email, authenticated_at,
                    test_sign_in_id, trace_id, delivers_user, provider, expires_at
            ), issued AS (
                INSERT INTO refresh_tokens (
                    team_id, token_id, sub, app_id, client_id, test_sign_in_id, authenticated_at, provider,
                    created_at, last_used_at
                )
                SELECT \(team), \(claim.tokenID), sub, app_id, \(claim.clientID), test_sign_in_id, authenticated_at, provider,
                    expires_at - make_interval(secs => \(Int(TokenLifetime.code / .seconds(1)))), \(moment)
                FROM redeemed
            ), delivered AS (
                UPDATE consents SET delivered_at = \(moment)
                FROM redeemed
                WHERE redeemed.delivers_user AND redeemed.test_sign_in_id IS NULL AND consents.team_id = \(team)
                    AND consents.sub = redeemed.sub AND consents.app_id = redeemed.app_id
                    AND consents.delivered_at IS NULL
            )
            SELECT sub, app_id, nonce, email, is_email_verified, is_private_email, authenticated_at, test_sign_in_id,
                trace_id
            FROM redeemed
            """, locking: claim.code.hash, in: team)
        guard var row = rows.first else { return nil }
        return try CodeGrant(&row)
    }

    /// The reason for a failed redemption.
    enum Obstacle: Sendable {
        case unknown
        case otherClient
        case used(tokenID: [UInt8])
        case expired
        /// The code was issued to that return URL; nil for one of a native app, which has none.
        case otherRedirectURI(String?)
        case suspended
        case otherVerifier
    }

    /// Determines why `redeem` rejected a code.
    func obstacle(to claim: Claim, in team: TeamID, at moment: Timestamp) async throws(PostgresFailure) -> Obstacle {
        let rows = try await database.query(
            """
            SELECT client_id = \(claim.clientID) AND test_sign_in_id IS NOT DISTINCT FROM \(claim.testSignIn), token_id,
                expires_at > \(claim.deadline(at: moment)),
                redirect_uri IS NOT DISTINCT FROM coalesce(\(claim.redirectURI), redirect_uri), redirect_uri,
                EXISTS (
                    SELECT FROM users
                    WHERE team_id = \(team) AND users.sub = authorization_codes.sub AND suspended_at IS NOT NULL
                )
            FROM authorization_codes
            WHERE team_id = \(team) AND \(claim.code.timePartition.condition) AND code_hash = \(claim.code.hash)
            """, in: team)
        guard var row = rows.first else { return .unknown }
        guard try row.next(Bool.self) else { return .otherClient }
        if let tokenID = try row.next([UInt8]?.self) { return .used(tokenID: tokenID) }
        guard try row.next(Bool.self) else { return .expired }
        let (isSame, redirectURI) = (try row.next(Bool.self), try row.next(String?.self))
        guard isSame else { return .otherRedirectURI(redirectURI) }
        return try row.next(Bool.self) ? .suspended : .otherVerifier
    }
}

extension CodeStore.Claim {
    /// The time after which a code must expire: the given moment, or later when a not-before excludes its issue time.
    fileprivate func deadline(at moment: Timestamp) -> Timestamp {
        max(moment, notBefore + TokenLifetime.code - .microseconds(1))
    }
}

extension CodeGrant {
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        subject = try row.next()
        primaryAppID = try row.next()
        nonce = try row.next()
        email = try SharedEmail.read(&row)
        authenticatedAt = try row.next()
        testSignIn = try row.next()
        trace = try row.next()
    }
}

/// The grant behind a redeemed code.
struct CodeGrant: Sendable {
    let subject: Subject
    let primaryAppID: ClientID
    let nonce: String?
    let email: SharedEmail?
    let authenticatedAt: Timestamp
    let testSignIn: TestSignInID?
    /// The sign-in trace of the sign-in that issued the code.
    let trace: TraceID
}
