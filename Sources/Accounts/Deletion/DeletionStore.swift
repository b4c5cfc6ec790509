import Core
import Directory
import Federation
import OAuth
public import Platform
public import Postgres

/// Reads and writes the rows of an account deletion, other than the user's own.
enum DeletionStore {
    /// Locks the user against changes and new tokens, and deletes the user's codes; false when the user does not exist
    /// or does not use the group's apps.
    ///
    /// Codes before tokens: a redemption in progress locks its code, so that its token is visible afterwards.
    static func lock(_ subject: Subject, usedBy primaryAppID: ClientID?, _ change: borrowing Change)
        async throws(PostgresFailure) -> Bool
    {
        let person = try await change.query(UserStore.deletionLock(subject, in: change.team))
        guard !person.isEmpty else { return false }
        if let primaryAppID {
            let uses = try await change.query(use(of: primaryAppID, by: subject, in: change.team))
            guard !uses.isEmpty else { return false }
        }
        try await change.query(AuthorizationEnd.deletingCodes(of: subject, in: change.team))
        return true
    }

    /// Returns a row when the user has a consent for the group or a live session with it.
    ///
    /// Ended ones do not count: an app the user has left must not delete the account that other apps use.
    private static func use(of primaryAppID: ClientID, by subject: Subject, in team: TeamID) -> SQL {
        """
        SELECT FROM consents WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID)
        UNION ALL
        SELECT FROM refresh_tokens
        WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID) AND test_sign_in_id IS NULL
            AND revoked_at IS NULL
        LIMIT 1
        """
    }

    /// Most of Pippin's own tokens in a receipt, newest first.
    private static let listLimit = 1000

    /// Inserts the receipt with each live token and each upstream token; tokens of test sign-ins are left out.
    ///
    /// The receipt of an app lists only tokens of its own group, because the user's other apps are not its concern.
    static func insert(
        _ receipt: ReceiptID, of subject: Subject, for primaryAppID: ClientID?, _ change: borrowing Change
    ) async throws(PostgresFailure) {
        let team = change.team
        try await change.query(
            """
            INSERT INTO deletion_receipts (team_id, receipt_id, sub, app_id)
            VALUES (\(team), \(receipt), \(subject), \(primaryAppID))
            """)
        try await change.query(
            """
            INSERT INTO deletion_receipt_tokens (
                team_id, receipt_id, number, client_id, issued_at, fate, settled_at, provider, upstream_token_id, problem
            )
            SELECT \(team), \(receipt), row_number() OVER (ORDER BY provider NULLS FIRST, created_at, token_id),
                client_id, created_at, fate, settled_at, provider, upstream_token_id, problem
            FROM (
                (
                    SELECT token_id, client_id, created_at, 'revoked' AS fate, clock_timestamp() AS settled_at,
                        NULL::text AS provider, NULL::bytea AS upstream_token_id, NULL::text AS problem
                    FROM refresh_tokens
                    WHERE team_id = \(team) AND sub = \(subject) AND revoked_at IS NULL AND test_sign_in_id IS NULL
                        AND (\(primaryAppID) IS NULL OR app_id = \(primaryAppID))
                    ORDER BY created_at DESC LIMIT \(listLimit)
                )
                UNION ALL
                SELECT token_id, client_id, created_at, CASE state WHEN 'refused' THEN 'refused' ELSE 'pending' END,
                    CASE state WHEN 'refused' THEN settled_at END, provider, token_id,
                    CASE state WHEN 'refused' THEN problem END
                FROM upstream_tokens
                WHERE team_id = \(team) AND sub = \(subject) AND state <> 'revoked'
                    AND (\(primaryAppID) IS NULL OR app_id = \(primaryAppID))
            ) AS token
            """)
    }

    /// Statement that notes the state of an upstream token in the receipts of its user's deletions.
    static func noting(_ fate: UpstreamTokenFate?, ofThose tokens: SQL, in team: TeamID) -> SQL {
        guard let (spelling, problem) = fate?.receipt else {
            return """
                UPDATE deletion_receipt_tokens SET fate = 'pending', settled_at = NULL, problem = NULL
                WHERE team_id = \(team) AND upstream_token_id IN (\(tokens)) AND fate = 'refused'
                """
        }
        return """
            UPDATE deletion_receipt_tokens
            SET fate = \(spelling), settled_at = clock_timestamp(), problem = \(problem)
            WHERE team_id = \(team) AND upstream_token_id IN (\(tokens)) AND fate <> 'revoked'
            """
    }

    /// Enqueues the revocation of the user's upstream tokens in the outbox.
    static func endUpstreamTokens(of subject: Subject, _ change: borrowing Change) async throws(PostgresFailure) {
        try await change.query(
            "WITH \(UpstreamTokenEnd.parts(of: subject, in: change.team)) SELECT FROM upstream_ended")
    }
}

extension UpstreamTokenFate {
    /// Result and problem as spelled in a deletion receipt.
    fileprivate var receipt: (fate: String, problem: String?) {
        switch self {
        case .revoked: ("revoked", nil)
        case .refused(let problem): ("refused", problem.rawValue)
        case .superseded: DeletionReceipt.Token.supersession
        }
    }
}

/// Deletes users permanently.
///
/// A `sub` is never assigned again, because it is random; a user who returns from Apple has the old one.
public enum UserDeletionStore {
    /// Deletes a user with codes, tokens, sessions, consents, password and login names.
    ///
    /// The caller deletes the user's sign-in traces.
    ///
    /// - Returns: whether the user existed.
    public static func delete(_ subject: Subject, reason: String? = nil, _ change: borrowing Change)
        async throws(PostgresFailure) -> Bool
    {
        let team = change.team
        // Locked first, so that no row that refers to the user is added meanwhile.
        let person = try await change.query(UserStore.deletionLock(subject, in: team))
        guard !person.isEmpty else { return false }
        let tokens = try await AuthorizationEnd.deleteAll(of: subject, change)
        try await SessionStore.deleteAll(of: subject, change)
        try await change.query(UpstreamAnnouncement.removal(of: subject, in: team))
        try await change.query(UpstreamUnlinks.noting(of: subject, in: team))
        try await change.query(UserStore.deletion(of: subject, in: team))
        var after: [String: JSONValue] = ["refreshTokens": .integer(Int64(tokens))]
        if let reason { after["reason"] = .string(reason) }
        try await change.record("user.deleted", .user(subject), to: after)
        return true
    }
}
