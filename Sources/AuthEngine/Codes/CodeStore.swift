import Bytes
import Directory
import Domain
import Postgres

/// Keeps codes from their issue to a while after their redemption.
struct CodeStore: Sendable {
    let database: TeamDatabase

    /// Everything a code is issued with.
    struct Issue: Sendable {
        let code: AuthorizationCode
        let subject: Subject
        let email: SharedEmail?
        let deliversUser: Bool
        let authenticatedAt: Timestamp
        /// Who said who the person is; nil for the directory.
        let provider: ProviderID?
        let expiresAt: Timestamp
        /// The sign-in it ends, to whose steps the redemption is added.
        let flow: FlowID
    }

    /// What a client presents to redeem a code.
    struct Claim: Sendable {
        let code: AuthorizationCode
        let clientID: ClientID
        let redirectURI: String?
        let codeChallenge: String?
        let trial: TrialID?
        let tokenID: [UInt8]
        /// Codes issued earlier are dead.
        let notBefore: Timestamp
    }

    /// Ends the attempt and stores its code, in one statement: of two requests one gets a code, and none does once
    /// the person's consent has ended.
    ///
    /// - Parameters:
    ///   - statements: what is written before it in the same transaction, whether or not there is a code; the person
    ///     is locked.
    ///   - standing: a statement without whose row there is no code, and the attempt stays.
    ///   - completion: parts of a WITH clause, written where `FROM issued` yields a row.
    func exchange(
        _ attempt: AttemptID,
        browserHash: [UInt8],
        for issue: Issue,
        with statements: [SQL] = [],
        while standing: SQL? = nil,
        completion: SQL? = nil,
        in team: TeamID
    ) async throws(PostgresFailure) -> Bool {
        let more: SQL = completion.map { ", \($0)" } ?? ""
        let condition: SQL = standing.map { "AND EXISTS (\($0))" } ?? ""
        let exchange: SQL = """
            WITH ended AS (
                DELETE FROM attempts
                WHERE team_id = \(team) AND \(attempt.slot.condition) AND attempt_id = \(attempt)
                    AND browser_hash = \(browserHash)
                    AND EXISTS (
                        SELECT FROM consents
                        WHERE team_id = \(team) AND consents.sub = \(issue.subject)
                            AND consents.app_id = attempts.app_id
                    ) \(condition)
                RETURNING client_id, app_id, redirect_uri, nonce, code_challenge, trial_id
            ), issued AS (
                INSERT INTO authorization_codes (
                    team_id, slot, code_hash, client_id, app_id, sub, redirect_uri, nonce, code_challenge, email,
                    is_email_verified, is_private_email, delivers_user, trial_id, authenticated_at, provider,
                    expires_at, flow_id
                )
                SELECT \(team), \(issue.code.slot.number), \(issue.code.hash), client_id, app_id, \(issue.subject),
                    nullif(redirect_uri, ''), nonce, code_challenge, \(issue.email?.address),
                    \(issue.email?.isVerified ?? false), \(issue.email?.isPrivate ?? false), \(issue.deliversUser),
                    trial_id, \(issue.authenticatedAt), \(issue.provider), \(issue.expiresAt), \(issue.flow)
                FROM ended
                RETURNING code_hash
            )\(more)
            SELECT code_hash FROM issued
            """
        let lock = UserStore.lock(issue.subject, in: team)
        let rows = try await database.queryJointly(
            [lock] + statements + [exchange],
            locking: Array(issue.subject.rawValue.utf8),
            in: team
        )
        return !rows.isEmpty
    }

    /// Redeems a code in one statement: every condition stands in its WHERE, so a code is spent only by the
    /// client it was issued to, with the right address and verifier, in time, once, and for a person who is there
    /// and was not suspended meanwhile.
    ///
    /// Its refresh token is stored and the delivery of `user` noted in the same breath.
    func redeem(
        _ claim: Claim,
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) -> CodeGrant? {
        let rows = try await database.queryJointly(
            """
            WITH redeemed AS (
                UPDATE authorization_codes
                SET redeemed_at = \(moment), token_id = \(claim.tokenID)
                WHERE team_id = \(team) AND \(claim.code.slot.condition) AND code_hash = \(claim.code.hash)
                    AND redeemed_at IS NULL AND expires_at > \(claim.deadline(at: moment))
                    AND client_id = \(claim.clientID)
                    AND redirect_uri IS NOT DISTINCT FROM \(claim.redirectURI)
                    AND (code_challenge IS NULL OR code_challenge = \(claim.codeChallenge))
                    AND trial_id IS NOT DISTINCT FROM \(claim.trial)
                    AND EXISTS (
                        SELECT FROM users
                        WHERE team_id = \(team) AND users.sub = authorization_codes.sub AND suspended_at IS NULL
                    )
                RETURNING sub, app_id, nonce, email, is_email_verified, is_private_email, authenticated_at,
                    trial_id, flow_id, delivers_user, provider
            ), issued AS (
                INSERT INTO refresh_tokens (
                    team_id, token_id, sub, app_id, client_id, trial_id, authenticated_at, provider,
                    created_at, last_used_at
                )
                SELECT \(team), \(claim.tokenID), sub, app_id, \(claim.clientID), trial_id, authenticated_at, provider,
                    \(moment), \(moment)
                FROM redeemed
            ), delivered AS (
                UPDATE consents SET delivered_at = \(moment)
                FROM redeemed
                WHERE redeemed.delivers_user AND redeemed.trial_id IS NULL AND consents.team_id = \(team)
                    AND consents.sub = redeemed.sub AND consents.app_id = redeemed.app_id
                    AND consents.delivered_at IS NULL
            )
            SELECT sub, app_id, nonce, email, is_email_verified, is_private_email, authenticated_at, trial_id,
                flow_id
            FROM redeemed
            """,
            locking: claim.code.hash,
            in: team
        )
        guard var row = rows.first else { return nil }
        return try CodeGrant(&row)
    }

    /// Why a code was not redeemed.
    enum Obstacle: Sendable {
        case unknown
        case otherClient
        case used(tokenID: [UInt8])
        case expired
        case otherRedirectURI
        case suspended
        case otherVerifier
    }

    /// Looks at a code that `redeem` refused.
    func obstacle(
        to claim: Claim,
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) -> Obstacle {
        let rows = try await database.query(
            """
            SELECT client_id = \(claim.clientID) AND trial_id IS NOT DISTINCT FROM \(claim.trial), token_id,
                expires_at > \(claim.deadline(at: moment)), redirect_uri IS NOT DISTINCT FROM \(claim.redirectURI),
                EXISTS (
                    SELECT FROM users
                    WHERE team_id = \(team) AND users.sub = authorization_codes.sub AND suspended_at IS NOT NULL
                )
            FROM authorization_codes
            WHERE team_id = \(team) AND \(claim.code.slot.condition) AND code_hash = \(claim.code.hash)
            """,
            in: team
        )
        guard var row = rows.first else { return .unknown }
        guard try row.next(Bool.self) else { return .otherClient }
        if let tokenID = try row.next([UInt8]?.self) { return .used(tokenID: tokenID) }
        guard try row.next(Bool.self) else { return .expired }
        guard try row.next(Bool.self) else { return .otherRedirectURI }
        return try row.next(Bool.self) ? .suspended : .otherVerifier
    }
}

extension CodeStore.Claim {
    /// A code must expire after this moment: neither too old, nor issued before the cut-off.
    fileprivate func deadline(at moment: Timestamp) -> Timestamp {
        max(moment, notBefore + TokenLifetime.code - .microseconds(1))
    }
}

extension CodeGrant {
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        subject = try row.next()
        group = try row.next()
        nonce = try row.next()
        email = try SharedEmail.read(&row)
        authenticatedAt = try row.next()
        trial = try row.next()
        flow = try row.next()
    }
}
