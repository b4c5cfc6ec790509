import Domain
import Postgres

/// What a deletion reads and writes beside the person's own rows.
enum DeletionStore {
    /// Keeps the person from changing and from getting new tokens; false when there is no such person.
    ///
    /// Codes before tokens: a redemption under way holds its code, and its token is seen once it is done.
    static func lock(
        _ subject: Subject,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        let person = try await transaction.query(
            "SELECT FROM users WHERE team_id = \(team) AND sub = \(subject) FOR UPDATE"
        )
        guard !person.isEmpty else { return false }
        try await transaction.query(
            "DELETE FROM authorization_codes WHERE team_id = \(team) AND sub = \(subject)"
        )
        return true
    }

    /// Writes the receipt with each token that lives now; trials' are no app's.
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
                team_id, receipt_id, number, client_id, issued_at, fate, settled_at
            )
            SELECT \(team), \(receipt), row_number() OVER (ORDER BY created_at, token_id), client_id, created_at,
                'revoked', clock_timestamp()
            FROM refresh_tokens
            WHERE team_id = \(team) AND sub = \(subject) AND revoked_at IS NULL AND trial_id IS NULL
            """
        )
    }
}
