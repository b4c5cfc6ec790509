import Bytes
public import Domain
public import Postgres

/// Reads the receipts of deletions.
public struct DeletionReceiptStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// The receipt of that id.
    public func find(
        _ id: ReceiptID,
        in team: TeamID
    ) async throws(PostgresFailure) -> DeletionReceipt? {
        let rows = try await database.query(
            """
            SELECT sub, created_at FROM deletion_receipts
            WHERE team_id = \(team) AND receipt_id = \(id)
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        let subject: Subject = try row.next()
        let createdAt: Timestamp = try row.next()
        return DeletionReceipt(
            id: id,
            createdAt: createdAt,
            tokens: try await tokens(of: id, in: team),
            notices: try await notices(about: subject, since: createdAt, in: team)
        )
    }

    /// The receipt that a client of the group was given for someone it has deleted already.
    func find(
        of subject: Subject,
        for group: ClientID,
        in team: TeamID
    ) async throws(PostgresFailure) -> ReceiptID? {
        let rows = try await database.query(
            """
            SELECT receipt_id FROM deletion_receipts
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group)
            ORDER BY created_at DESC
            LIMIT 1
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        return try row.next()
    }

    /// Whether the group has, or ever had, to do with the person.
    func knows(
        _ subject: Subject,
        _ group: ClientID,
        in team: TeamID
    ) async throws(PostgresFailure) -> Bool {
        let rows = try await database.query(
            """
            SELECT FROM consents WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group)
            UNION ALL
            SELECT FROM refresh_tokens
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(group) AND trial_id IS NULL
            LIMIT 1
            """,
            in: team
        )
        return !rows.isEmpty
    }

    private func tokens(
        of id: ReceiptID,
        in team: TeamID
    ) async throws(PostgresFailure) -> [DeletionReceipt.Token] {
        let rows = try await database.query(
            """
            SELECT provider, client_id, issued_at, fate, settled_at, problem FROM deletion_receipt_tokens
            WHERE team_id = \(team) AND receipt_id = \(id)
            ORDER BY number
            """,
            in: team
        )
        var tokens: [DeletionReceipt.Token] = []
        for var row in rows {
            tokens.append(
                DeletionReceipt.Token(
                    provider: try row.next(),
                    clientID: try row.next(),
                    issuedAt: try row.next(),
                    fate: try row.next(),
                    settledAt: try row.next(),
                    problem: try row.next(String?.self).flatMap(ProviderTokenProblem.init)
                )
            )
        }
        return tokens
    }

    /// Those of one deletion: the person may have come back since, and gone once more.
    private func notices(
        about subject: Subject,
        since moment: Timestamp,
        in team: TeamID
    ) async throws(PostgresFailure) -> [DeletionReceipt.Notice] {
        let rows = try await database.query(
            """
            SELECT app_id, state, settled_at FROM notices
            WHERE team_id = \(team) AND sub = \(subject) AND type = 'account-delete' AND created_at >= \(moment)
                AND created_at < coalesce(
                    (
                        SELECT min(created_at) FROM deletion_receipts
                        WHERE team_id = \(team) AND sub = \(subject) AND created_at > \(moment)
                    ),
                    'infinity'
                )
            ORDER BY app_id, created_at
            """,
            in: team
        )
        var notices: [DeletionReceipt.Notice] = []
        for var row in rows {
            notices.append(
                DeletionReceipt.Notice(
                    appID: try row.next(),
                    state: try row.next(),
                    settledAt: try row.next()
                )
            )
        }
        return notices
    }
}
