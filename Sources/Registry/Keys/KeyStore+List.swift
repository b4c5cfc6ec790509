public import Platform
public import Postgres

extension KeyStore {
    /// One page of the team's keys or of one App ID's, newest first, including revoked keys.
    public func list(_ query: PageQuery = PageQuery(), of appID: ClientID? = nil, in team: TeamID)
        async throws(PostgresFailure) -> Page<Key>
    {
        let listing = Self.listing(query, appID, team)
        // A search text is compared with every key, and the number of revoked keys has no limit.
        let rows =
            if query.search.isEmpty { try await database.query(listing, in: team) } else {
                try await database.search(listing, in: team)
            }
        return try Page(rows, limit: query.limit, read: Key.init) { ListCursor($0.createdAt, $0.id.rawValue) }
    }

    /// The active keys of one App ID, newest first; at most `Quota.activeKeys`.
    public func active(of appID: ClientID, in team: TeamID) async throws(PostgresFailure) -> [Key] {
        let rows = try await database.query(
            """
            SELECT \(Self.columns) FROM \(Self.tables)
            WHERE k.team_id = \(team) AND k.app_id = \(appID) AND k.slot IS NOT NULL
            ORDER BY k.created_at DESC, k.key_id DESC
            """, in: team)
        return try rows.all(Key.init)
    }

    /// Every key of the team, including revoked ones, newest first as in the list.
    ///
    /// Ids are random; they only order keys created at the same time.
    public func all(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) -> [Key] {
        let rows = try await transaction.query(
            """
            SELECT \(Self.columns) FROM \(Self.tables) WHERE k.team_id = \(team)
            ORDER BY k.created_at DESC, k.key_id DESC
            """)
        return try rows.all(Key.init)
    }

    /// Without a search text, an index provides both the page in its order and the total.
    static func listing(_ query: PageQuery, _ appID: ClientID?, _ team: TeamID) -> SQL {
        let matching = matching(query.search, appID, team)
        let after: SQL =
            if let after = query.after { "AND (k.created_at, k.key_id) < (\(after.at), \(after.id))" } else { "" }
        return """
            SELECT total.count, page.key_id IS NOT NULL, page.*
            FROM (SELECT count(*) FROM keys AS k WHERE \(matching)) AS total
            LEFT JOIN (
                SELECT \(columns) FROM \(tables)
                WHERE \(matching) \(after)
                ORDER BY k.created_at DESC, k.key_id DESC
                LIMIT \(query.limit + 1)
            ) AS page ON true
            ORDER BY page.created_at DESC, page.key_id DESC
            """
    }

    private static func matching(_ search: String, _ appID: ClientID?, _ team: TeamID) -> SQL {
        let ofApp: SQL = if let appID { "AND k.app_id = \(appID)" } else { "" }
        if search.isEmpty { return "k.team_id = \(team) \(ofApp)" }
        return """
            k.team_id = \(team) \(ofApp) AND (
                starts_with(lower(k.key_id), \(search)) OR starts_with(lower(k.name), \(search))
            )
            """
    }
}
