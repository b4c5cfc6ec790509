public import Core
public import Platform
public import Postgres

/// Stores the transfers a team has offered and those offered to it.
public struct AppTransferStore: Sendable {
    let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    private static let lifetime: SQL = "\(Int(AppTransfer.lifetime.components.seconds)) * interval '1 second'"

    /// Finds a transfer of either direction.
    public func find(_ id: TransferID, in team: TeamID, at moment: Timestamp) async throws -> AppTransfer? {
        try await database.transaction(in: team) { transaction in
            try await Self.find(id, in: team, at: moment, transaction)
        }
    }

    /// Finds a transfer of either direction in the caller's transaction.
    static func find(_ id: TransferID, in team: TeamID, at moment: Timestamp, _ transaction: borrowing Transaction)
        async throws -> AppTransfer?
    {
        let rows = try await transaction.query(
            """
            SELECT \(columns(at: moment)) FROM app_transfers
            WHERE transfer_id = \(id) AND (team_id = \(team) OR target_team = \(team))
            """)
        return try rows.firstValue(AppTransfer.init)
    }

    /// Locks two teams against changes and other transfers until the transaction ends; call it first.
    ///
    /// - Returns: false when one of them is closed or does not exist.
    @discardableResult static func hold(_ team: TeamID, _ other: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Bool
    { try await transaction.query("SELECT pippin_lock_open_teams(\(team), \(other))").firstValue() ?? false }

    /// Whether the member may make and accept offers; the membership is locked until the transaction ends.
    ///
    /// Called after the teams are locked, the order of all code that locks both.
    static func holdRight(of member: Subject, _ change: borrowing Change) async throws(PostgresFailure) -> Bool {
        try await MembershipStore.heldRole(of: member, change)?.rights.contains(.dangerZone) ?? false
    }

    static func insert(
        _ id: TransferID, _ appID: ClientID, _ registration: TransferredRegistration, to target: TeamID,
        at moment: Timestamp, _ change: borrowing Change
    ) async throws(PostgresFailure) {
        let json = String(decoding: JSON.encode(registration), as: UTF8.self)
        try await change.query(
            """
            INSERT INTO app_transfers (
                team_id, transfer_id, target_team, app_id, registration, offered_at, offered_by
            ) VALUES (
                \(change.team), \(id), \(target), \(appID), \(json)::jsonb, \(moment), \(change.actor.account)
            )
            """)
        try await change.record("app_transfer.offered", .appID(appID), to: ["to": .string(target.rawValue)])
    }

    /// Ends the team's expired offers, so that their App IDs can be offered again.
    static func settleExpired(at moment: Timestamp, _ change: borrowing Change) async throws(PostgresFailure) {
        try await change.query(
            """
            UPDATE app_transfers SET state = 'withdrawn', settled_at = offered_at + \(Self.lifetime)
            WHERE team_id = \(change.team) AND state = 'offered' AND offered_at <= \(moment - AppTransfer.lifetime)
            """)
    }

    /// Offers of the last 24 hours that were not accepted, to count them, including withdrawn ones: each is in the
    /// other team's list.
    static func unaccepted(in team: TeamID, at moment: Timestamp) -> SQL {
        """
        app_transfers
        WHERE team_id = \(team) AND state <> 'accepted' AND offered_at > \(moment - .seconds(86_400))
        """
    }

    /// Transfers of the last 24 hours that were accepted, to count them; the time is written as in the index.
    ///
    /// - Parameter side: the column of the team.
    static func accepted(_ side: SQL, _ team: TeamID, at moment: Timestamp) -> SQL {
        """
        (
            SELECT settled_at FROM app_transfers WHERE \(side) = \(team) AND state = 'accepted'
            ORDER BY settled_at AT TIME ZONE 'UTC' DESC LIMIT \(Quota.acceptedADay.count + 1)
        ) AS newest
        WHERE settled_at > \(moment - .seconds(86_400))
        """
    }

    /// Whether the App ID is offered, or was transferred to another team within the window.
    static func isUnderWay(_ appID: ClientID, at moment: Timestamp, _ change: borrowing Change)
        async throws(PostgresFailure) -> Bool
    {
        let rows = try await change.query(
            """
            SELECT FROM app_transfers WHERE team_id = \(change.team) AND app_id = \(appID) AND state = 'offered'
            UNION ALL
            SELECT FROM app_transfers
            WHERE team_id = \(change.team) AND app_id = \(appID) AND state = 'accepted'
                AND settled_at > \(moment - AppTransfer.window)
            """)
        return !rows.isEmpty
    }

    /// Withdraws the open offers that a member made, in the transaction in which the member loses that right.
    ///
    /// - Returns: the App IDs, each with the team that it was offered to.
    public static func withdrawAll(offeredBy member: Subject, _ change: borrowing Change) async throws(PostgresFailure)
        -> [(appID: ClientID, target: TeamID)]
    {
        let rows = try await change.query(
            """
            UPDATE app_transfers SET state = 'withdrawn', settled_at = clock_timestamp()
            WHERE team_id = \(change.team) AND offered_by = \(member) AND state = 'offered'
            RETURNING app_id, target_team
            """)
        return try rows.all { (row: inout Row) throws(PostgresFailure) in (try row.next(), try row.next()) }
    }

    /// Ends an open offer: withdrawn by the offering team, or accepted or declined by the other.
    ///
    /// - Returns: nil when it is not open.
    static func settle(_ id: TransferID, _ state: AppTransfer.State, at moment: Timestamp, _ change: borrowing Change)
        async throws -> AppTransfer?
    {
        let side: SQL = state == .withdrawn ? "team_id" : "target_team"
        let rows = try await change.query(
            """
            UPDATE app_transfers SET state = \(state), settled_at = \(moment)
            WHERE \(side) = \(change.team) AND transfer_id = \(id) AND \(Self.state(at: moment)) = 'offered'
            RETURNING \(columns(at: moment))
            """)
        return try rows.firstValue(AppTransfer.init)
    }

    /// The state of an offer; one settled at the end of its lifetime is expired.
    static func state(at moment: Timestamp) -> SQL {
        """
        CASE
            WHEN state = 'offered' AND offered_at <= \(moment - AppTransfer.lifetime)
                OR state = 'withdrawn' AND settled_at >= offered_at + \(Self.lifetime)
            THEN 'expired' ELSE state
        END
        """
    }

    static func columns(at moment: Timestamp, registration: SQL = "registration") -> SQL {
        """
        transfer_id, team_id, target_team, app_id, (\(registration))::text, \(state(at: moment)), offered_at, settled_at
        """
    }

    /// Most transfers listed between two teams.
    private static let shown = 20

    /// Lists the transfers in both directions: open offers first, then the newest; the number for each other team is
    /// limited, so that none hides the offers of others.
    public func list(in team: TeamID, at moment: Timestamp) async throws -> [AppTransfer] {
        try await database.query(Self.listing(team, at: moment), in: team).all(AppTransfer.init)
    }

    /// Selects the newest of each state and direction, by indexes in that order.
    ///
    /// A team may have any number of settled transfers. Times are written as in the indexes.
    static func listing(_ team: TeamID, at moment: Timestamp) -> SQL {
        let other: SQL = "CASE WHEN team_id = \(team) THEN target_team ELSE team_id END"
        let waits: SQL = "(\(state(at: moment)) = 'offered')"
        return """
            SELECT \(columns(at: moment, registration: names)) FROM (
                SELECT *, row_number() OVER (
                    PARTITION BY \(other) ORDER BY \(waits) DESC, offered_at DESC, transfer_id
                ) AS place
                FROM (
                    \(newest(where: "team_id", is: team))
                    UNION ALL
                    \(newest(where: "target_team", is: team))
                ) AS newest
            ) AS transfers
            WHERE place <= \(shown)
            ORDER BY \(waits) DESC, offered_at DESC, transfer_id
            LIMIT 500
            """
    }

    /// Accepted transfers are read separately from declined and withdrawn ones, so that these do not displace them.
    private static func newest(where side: SQL, is team: TeamID) -> SQL {
        """
        (
            SELECT * FROM app_transfers WHERE \(side) = \(team) AND state = 'offered'
            ORDER BY offered_at DESC LIMIT 500
        )
        UNION ALL
        (
            SELECT * FROM app_transfers WHERE \(side) = \(team) AND state = 'accepted'
            ORDER BY settled_at AT TIME ZONE 'UTC' DESC LIMIT 100
        )
        UNION ALL
        (
            SELECT * FROM app_transfers WHERE \(side) = \(team) AND state IN ('declined', 'withdrawn')
            ORDER BY offered_at DESC LIMIT 100
        )
        """
    }

    /// The registration without domains and return URLs, which may be hundreds of kilobytes each time.
    private static let names: SQL = """
        registration || jsonb_build_object('services', coalesce((
            SELECT jsonb_agg(service || '{"domains": [], "returnURLs": []}'::jsonb ORDER BY number)
            FROM jsonb_array_elements(registration -> 'services') WITH ORDINALITY AS one (service, number)
        ), '[]'::jsonb))
        """
}

extension AppTransfer {
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        source = try row.next()
        target = try row.next()
        appID = try row.next()
        let json = Array(try row.next(String.self).utf8)
        guard let registration = try? JSON.decode(TransferredRegistration.self, from: json) else {
            throw .unreadable(column: 4, as: "a registration")
        }
        self.registration = registration
        state = try row.next()
        offeredAt = try row.next()
        settledAt = try row.next()
    }
}
