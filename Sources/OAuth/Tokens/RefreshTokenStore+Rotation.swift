import Core
import Platform
import Postgres

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
                AND revoked_at IS NULL AND trial_id IS NULL
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
            SELECT used.sub, used.app_id, used.authenticated_at, \(Self.sharedEmail)
            FROM used
            JOIN users ON users.team_id = \(team) AND users.sub = used.sub
            JOIN consents ON consents.team_id = \(team) AND consents.sub = used.sub
                AND consents.app_id = used.app_id
            WHERE users.suspended_at IS NULL
            """
        let rows = try await database.query([lock.locking(row), use], in: team)
        return try rows.firstValue(Holder.init)
    }

    private static func reuse(_ rotation: Rotation) -> AuditEvent {
        AuditEvent(
            "refresh_token.reused", by: .client(rotation.client),
            on: AuditEvent.Target("client", rotation.client.rawValue), from: rotation.origin, outcome: .refused)
    }
}
