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
            SELECT sub, created_at, app_id FROM deletion_receipts
            WHERE team_id = \(team) AND receipt_id = \(id)
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        let subject: Subject = try row.next()
        let createdAt: Timestamp = try row.next()
        let group: ClientID? = try row.next()
        return DeletionReceipt(
            id: id,
            createdAt: createdAt,
            tokens: try await tokens(of: id, in: team),
            notices: try await notices(about: subject, to: group, since: createdAt, in: team)
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
        for var row in rows { tokens.append(try DeletionReceipt.Token(&row)) }
        return tokens
    }

    /// Those of one deletion: the person may have come back since, and gone once more.
    ///
    /// - Parameter group: whose receipt it is; nil for the person's and the team's, which name all.
    private func notices(
        about subject: Subject,
        to group: ClientID?,
        since moment: Timestamp,
        in team: TeamID
    ) async throws(PostgresFailure) -> [DeletionReceipt.Notice] {
        let rows = try await database.query(
            """
            SELECT app_id, state, settled_at FROM notices
            WHERE team_id = \(team) AND sub = \(subject) AND type = 'account-delete' AND created_at >= \(moment)
                AND (\(group) IS NULL OR app_id = \(group))
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

extension DeletionReceipt.Token {
    /// How a superseded token is kept: releases before this fate read a refusal of which they do not know why.
    static let supersession = (fate: "refused", problem: "superseded")

    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        provider = try row.next()
        clientID = try row.next()
        issuedAt = try row.next()
        let fate: Fate = try row.next()
        settledAt = try row.next()
        let problem: String? = try row.next()
        self.fate = problem == Self.supersession.problem ? .superseded : fate
        self.problem = problem.flatMap(ProviderTokenProblem.init)
    }
}
