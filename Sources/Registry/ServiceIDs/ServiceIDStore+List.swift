public import Platform
public import Postgres

extension ServiceIDStore {
    /// One page of the team's Service IDs or of one App ID's, in the order of identifiers.
    public func list(_ query: PageQuery = PageQuery(), of appID: ClientID? = nil, in team: TeamID)
        async throws(PostgresFailure) -> Page<ServiceIDSummary>
    {
        let rows = try await database.query(Self.listing(query, appID, team), in: team)
        return try Page(rows, limit: query.limit, read: ServiceIDSummary.init) { ListCursor($0.identifier.rawValue) }
    }

    /// Every Service ID of the team, by App ID and slot.
    public func all(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) -> [ServiceID]
    {
        let rows = try await transaction.query(
            """
            SELECT \(Self.columns) FROM service_ids AS s
            WHERE s.team_id = \(team)
            ORDER BY s.app_id, s.slot
            """)
        return try rows.all(ServiceID.init)
    }

    /// The Service IDs of one App ID, in the order of their slots.
    public func all(of appID: ClientID, in team: TeamID) async throws(PostgresFailure) -> [ServiceID] {
        let rows = try await database.query(
            """
            SELECT \(Self.columns) FROM service_ids AS s
            WHERE s.team_id = \(team) AND s.app_id = \(appID)
            ORDER BY s.slot
            """, in: team)
        return try rows.all(ServiceID.init)
    }

    /// The identifiers of all Service IDs of the team, by App ID and slot.
    public func names(in team: TeamID) async throws(PostgresFailure) -> [ClientID] {
        let names: SQL = "SELECT identifier FROM service_ids WHERE team_id = \(team) ORDER BY app_id, slot"
        return try await database.query(names, in: team).column()
    }

    private static func listing(_ query: PageQuery, _ appID: ClientID?, _ team: TeamID) -> SQL {
        let ofApp: SQL = if let appID { "AND s.app_id = \(appID)" } else { "" }
        let matching: SQL = """
            s.team_id = \(team) \(ofApp) AND (
                starts_with(lower(s.identifier), \(query.search))
                OR starts_with(lower(s.description), \(query.search))
            )
            """
        let after: SQL = if let after = query.after { "AND s.identifier > \(after.id)" } else { "" }
        return """
            SELECT total.count, page.identifier IS NOT NULL, page.*
            FROM (SELECT count(*) FROM service_ids AS s WHERE \(matching)) AS total
            LEFT JOIN (
                SELECT
                    s.identifier, s.description, s.app_id, a.description AS app_description,
                    (
                        SELECT count(*) FROM service_domains AS d
                        WHERE d.team_id = s.team_id AND d.service_id = s.identifier
                    ) AS domains,
                    (
                        SELECT count(*) FROM return_urls AS u
                        WHERE u.team_id = s.team_id AND u.service_id = s.identifier
                    ) AS return_urls,
                    s.created_at
                FROM service_ids AS s
                JOIN app_ids AS a ON a.team_id = s.team_id AND a.identifier = s.app_id
                WHERE \(matching) \(after)
                ORDER BY s.identifier
                LIMIT \(query.limit + 1)
            ) AS page ON true
            ORDER BY page.identifier
            """
    }
}
