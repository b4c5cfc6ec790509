public import Platform
public import Postgres

extension AppIDStore {
    /// One page in the order of identifiers, with the number of Service IDs and active keys of each.
    public func list(_ query: PageQuery = PageQuery(), in team: TeamID) async throws(PostgresFailure) -> Page<
        AppIDSummary
    > {
        let rows = try await database.query(Self.listing(query, team), in: team)
        return try Page(rows, limit: query.limit, read: AppIDSummary.init) { ListCursor($0.appID.identifier.rawValue) }
    }

    /// Every App ID of the team, in the order of identifiers.
    public func all(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) -> [AppID] {
        let rows = try await transaction.query(
            """
            SELECT \(Self.columns) FROM app_ids AS a WHERE a.team_id = \(team) ORDER BY a.identifier
            """)
        return try rows.all(AppID.init)
    }

    /// Selects one page and the total, and counts for the whole page at once.
    ///
    /// Counting row by row took longer than all the rest. Each count is materialized and uses the index by the page's
    /// identifiers: a join would be planned for two App IDs, and count again for each row of a team with hundreds.
    private static func listing(_ query: PageQuery, _ team: TeamID) -> SQL {
        let matching = matching(query.search, team)
        let after: SQL = if let after = query.after { "AND a.identifier > \(after.id)" } else { "" }
        return """
            WITH page AS MATERIALIZED (
                SELECT \(columns) FROM app_ids AS a
                WHERE \(matching) \(after)
                ORDER BY a.identifier
                LIMIT \(query.limit + 1)
            ), services AS MATERIALIZED (
                SELECT app_id, count(*) FROM service_ids
                WHERE team_id = \(team) AND app_id = ANY (ARRAY (SELECT identifier FROM page))
                GROUP BY app_id
            ), active AS MATERIALIZED (
                SELECT app_id, count(*) FROM keys
                WHERE team_id = \(team) AND slot IS NOT NULL AND app_id = ANY (ARRAY (SELECT identifier FROM page))
                GROUP BY app_id
            )
            SELECT total.count, page.identifier IS NOT NULL, coalesce(services.count, 0), coalesce(active.count, 0),
                page.*
            FROM (SELECT count(*) FROM app_ids AS a WHERE \(matching)) AS total
            LEFT JOIN page ON true
            LEFT JOIN services ON services.app_id = page.identifier
            LEFT JOIN active ON active.app_id = page.identifier
            ORDER BY page.identifier
            """
    }

    private static func matching(_ search: String, _ team: TeamID) -> SQL {
        if search.isEmpty { return "a.team_id = \(team)" }
        return """
            a.team_id = \(team) AND (
                starts_with(lower(a.identifier), \(search)) OR starts_with(lower(a.description), \(search))
            )
            """
    }
}
