import Audit
import Bytes
public import Domain
import Postgres

/// Keeps the transfers a team has offered and those it was offered.
public struct AppTransferStore: Sendable {
    let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    init(database: TeamDatabase) {
        self.database = database
    }

    /// The transfers of both directions, the newest first; a hundred are shown.
    public func list(in team: TeamID) async throws -> [AppTransfer] {
        let rows = try await database.query(
            """
            SELECT \(Self.columns) FROM app_transfers
            WHERE team_id = \(team) OR target_team = \(team)
            ORDER BY offered_at DESC, transfer_id
            LIMIT 100
            """,
            in: team
        )
        var transfers: [AppTransfer] = []
        for var row in rows { transfers.append(try AppTransfer(&row)) }
        return transfers
    }

    /// A transfer of either direction.
    func find(_ id: TransferID, in team: TeamID) async throws -> AppTransfer? {
        let rows = try await database.query(
            """
            SELECT \(Self.columns) FROM app_transfers
            WHERE transfer_id = \(id) AND (team_id = \(team) OR target_team = \(team))
            """,
            in: team
        )
        guard var row = rows.first else { return nil }
        return try AppTransfer(&row)
    }

    func insert(
        _ id: TransferID,
        _ appID: ClientID,
        _ registration: TransferredRegistration,
        to target: TeamID,
        event: AuditEvent,
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) {
        let json = String(decoding: JSON.encode(registration), as: UTF8.self)
        try await database.query(
            """
            WITH offered AS (
                INSERT INTO app_transfers (
                    team_id, transfer_id, target_team, app_id, registration, offered_at
                ) VALUES (\(team), \(id), \(target), \(appID), \(json)::jsonb, \(moment))
            )
            \(event.insertion(in: team))
            """,
            in: team
        )
    }

    /// Whether the App ID went to another team within the window.
    func isUnderWay(
        _ appID: ClientID,
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) -> Bool {
        let rows = try await database.query(
            """
            SELECT FROM app_transfers
            WHERE team_id = \(team) AND app_id = \(appID) AND state = 'accepted'
                AND settled_at > \(moment - AppTransfer.window)
            """,
            in: team
        )
        return !rows.isEmpty
    }

    /// Ends an offer: withdrawn by the team that made it, declined by the one it was made to.
    func settle(
        _ id: TransferID,
        _ state: AppTransfer.State,
        event: AuditEvent,
        in team: TeamID,
        at moment: Timestamp
    ) async throws(PostgresFailure) -> Bool {
        let isOwner = state == .withdrawn
        let rows = try await database.query(
            """
            WITH settled AS (
                UPDATE app_transfers SET state = \(state), settled_at = \(moment)
                WHERE transfer_id = \(id) AND state = 'offered'
                    AND CASE WHEN \(isOwner) THEN team_id = \(team) ELSE target_team = \(team) END
                RETURNING transfer_id
            ), audit AS (
                \(event.insertion(in: team, when: "FROM settled"))
            )
            SELECT transfer_id FROM settled
            """,
            in: team
        )
        return !rows.isEmpty
    }

    /// Accepts an offer in the caller's transaction, of the team it was made to.
    static func take(
        _ id: TransferID,
        for team: TeamID,
        at moment: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws -> AppTransfer? {
        let rows = try await transaction.query(
            """
            UPDATE app_transfers SET state = 'accepted', settled_at = \(moment)
            WHERE transfer_id = \(id) AND target_team = \(team) AND state = 'offered'
            RETURNING \(columns)
            """
        )
        guard var row = rows.first else { return nil }
        return try AppTransfer(&row)
    }

    private static let columns: SQL = """
        transfer_id, team_id, target_team, app_id, registration::text, state, offered_at, settled_at
        """
}

extension AppTransfer {
    fileprivate init(_ row: inout Row) throws {
        id = try row.next()
        source = try row.next()
        target = try row.next()
        appID = try row.next()
        let text: String = try row.next()
        registration = try JSON.decode(TransferredRegistration.self, from: Array(text.utf8))
        state = try row.next()
        offeredAt = try row.next()
        settledAt = try row.next()
    }
}
