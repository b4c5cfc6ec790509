import Directory
import Domain
import Postgres

/// What a deletion reads and writes beside the person's own rows.
enum DeletionStore {
    /// Keeps the person from changing and from getting new tokens; false when there is no such person, or they do not
    /// use that group's apps.
    ///
    /// Codes before tokens: a redemption under way holds its code, and its token is seen once it is done.
    static func lock(
        _ subject: Subject,
        usedBy group: ClientID?,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        let person = try await transaction.query(UserStore.deletionLock(subject, in: team))
        guard !person.isEmpty else { return false }
        if let group {
            let uses = try await transaction.query(use(of: group, by: subject, in: team))
            guard !uses.isEmpty else { return false }
        }
        try await transaction.query(
            "DELETE FROM authorization_codes WHERE team_id = \(team) AND sub = \(subject)"
        )
        return true
    }

    /// Yields a row where the person lets the group know something, or has a session with it.
    ///
    /// What they have ended does not count: an app that a person has left has no say in whether they stay with others.
    private static func use(of group: ClientID, by subject: Subject, in team: TeamID) -> SQL {
        """
        SELECT FROM consents WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group)
        UNION ALL
        SELECT FROM refresh_tokens
        WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group) AND trial_id IS NULL
            AND revoked_at IS NULL
        LIMIT 1
        """
    }

    /// Of tokens of ours that a receipt names; the newest.
    private static let listLimit = 1000

    /// Writes the receipt with each token that lives now, and each of a provider's; trials' are no app's.
    ///
    /// An app's names the tokens of its own group alone: which other apps the person used is not its business.
    static func insert(
        _ receipt: ReceiptID,
        of subject: Subject,
        for group: ClientID?,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query(
            """
            INSERT INTO deletion_receipts (team_id, receipt_id, sub, app_id)
            VALUES (\(team), \(receipt), \(subject), \(group))
            """
        )
        try await transaction.query(
            """
            INSERT INTO deletion_receipt_tokens (
                team_id, receipt_id, number, client_id, issued_at, fate, settled_at, provider, provider_token_id, problem
            )
            SELECT \(team), \(receipt), row_number() OVER (ORDER BY provider NULLS FIRST, created_at, token_id),
                client_id, created_at, fate, settled_at, provider, provider_token_id, problem
            FROM (
                (
                    SELECT token_id, client_id, created_at, 'revoked' AS fate, clock_timestamp() AS settled_at,
                        NULL::text AS provider, NULL::bytea AS provider_token_id, NULL::text AS problem
                    FROM refresh_tokens
                    WHERE team_id = \(team) AND sub = \(subject) AND revoked_at IS NULL AND trial_id IS NULL
                        AND (\(group) IS NULL OR app_id = \(group))
                    ORDER BY created_at DESC LIMIT \(listLimit)
                )
                UNION ALL
                SELECT token_id, client_id, created_at, CASE state WHEN 'refused' THEN 'refused' ELSE 'pending' END,
                    CASE state WHEN 'refused' THEN settled_at END, provider, token_id,
                    CASE state WHEN 'refused' THEN problem END
                FROM provider_tokens
                WHERE team_id = \(team) AND sub = \(subject) AND state <> 'revoked'
                    AND (\(group) IS NULL OR app_id = \(group))
            ) AS token
            """
        )
    }

    /// Puts the revocation of what providers gave for the person into the outbox.
    static func endProviderTokens(
        of subject: Subject,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query(
            "WITH \(ProviderTokenEnd.parts(of: subject, in: team)) SELECT FROM provider_ended"
        )
    }
}
