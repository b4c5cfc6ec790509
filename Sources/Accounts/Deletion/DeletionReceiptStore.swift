import Core
import Federation
public import Platform
public import Postgres

/// Reads the receipts of deletions.
public struct DeletionReceiptStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Finds a receipt by its id.
    public func find(_ id: ReceiptID, in team: TeamID) async throws(PostgresFailure) -> DeletionReceipt? {
        let rows = try await database.query(
            """
            SELECT sub, created_at, app_id FROM deletion_receipts
            WHERE team_id = \(team) AND receipt_id = \(id)
            """, in: team)
        guard var row = rows.first else { return nil }
        let subject: Subject = try row.next()
        let createdAt: Timestamp = try row.next()
        let primaryAppID: ClientID? = try row.next()
        return DeletionReceipt(
            id: id, createdAt: createdAt, tokens: try await tokens(of: id, in: team),
            notifications: try await notifications(about: subject, to: primaryAppID, since: createdAt, in: team))
    }

    /// Finds the newest receipt of a client of the group for a user it has deleted before.
    func find(of subject: Subject, for primaryAppID: ClientID, in team: TeamID) async throws(PostgresFailure)
        -> ReceiptID?
    {
        let rows = try await database.query(
            """
            SELECT receipt_id FROM deletion_receipts
            WHERE team_id = \(team) AND sub = \(subject) AND app_id = \(primaryAppID)
            ORDER BY created_at DESC
            LIMIT 1
            """, in: team)
        guard var row = rows.first else { return nil }
        return try row.next()
    }

    private func tokens(of id: ReceiptID, in team: TeamID) async throws(PostgresFailure) -> [DeletionReceipt.Token] {
        let rows = try await database.query(
            """
            SELECT provider, client_id, issued_at, fate, settled_at, problem FROM deletion_receipt_tokens
            WHERE team_id = \(team) AND receipt_id = \(id)
            ORDER BY number
            """, in: team)
        var tokens: [DeletionReceipt.Token] = []
        for var row in rows { tokens.append(try DeletionReceipt.Token(&row)) }
        return tokens
    }

    /// The notifications of one deletion, up to the next one: the user may have signed up and been deleted again.
    ///
    /// - Parameter primaryAppID: the group of the receipt; nil for receipts of users and teams, which list all groups.
    private func notifications(
        about subject: Subject, to primaryAppID: ClientID?, since moment: Timestamp, in team: TeamID
    ) async throws(PostgresFailure) -> [DeletionReceipt.Notification] {
        let rows = try await database.query(
            """
            SELECT app_id, state, settled_at FROM notices
            WHERE team_id = \(team) AND sub = \(subject) AND type = 'account-delete' AND created_at >= \(moment)
                AND (\(primaryAppID) IS NULL OR app_id = \(primaryAppID))
                AND created_at < coalesce(
                    (
                        SELECT min(created_at) FROM deletion_receipts
                        WHERE team_id = \(team) AND sub = \(subject) AND created_at > \(moment)
                    ),
                    'infinity'
                )
            ORDER BY app_id, created_at
            """, in: team)
        var notifications: [DeletionReceipt.Notification] = []
        for var row in rows {
            notifications.append(
                DeletionReceipt.Notification(appID: try row.next(), state: try row.next(), settledAt: try row.next()))
        }
        return notifications
    }
}

extension DeletionReceipt.Token {
    /// The stored form of `superseded`: releases without this state read it as a refusal with an unknown problem.
    static let supersession = (fate: "refused", problem: "superseded")

    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        provider = try row.next()
        clientID = try row.next()
        issuedAt = try row.next()
        let fate: Fate = try row.next()
        settledAt = try row.next()
        let problem: String? = try row.next()
        self.fate = problem == Self.supersession.problem ? .superseded : fate
        self.problem = problem.flatMap(UpstreamTokenProblem.init)
    }
}
