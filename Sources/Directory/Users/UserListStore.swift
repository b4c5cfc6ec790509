public import Platform
public import Postgres

/// Lists the users of a team in pages.
public struct UserListStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Up to `limit` users, newest first, after `cursor` if given.
    public func page(in team: TeamID, matching search: UserSearch? = nil, after cursor: ListCursor? = nil, limit: Int)
        async throws(PostgresFailure) -> Page<User>
    {
        let selection = Self.selection(in: team, matching: search, after: cursor, limit: limit + 1)
        let rows =
            if search == nil { try await database.query(selection, in: team) } else {
                try await database.search(selection, in: team)
            }
        return try Page(rows, limit: limit, read: User.init) { ListCursor($0.createdAt, $0.subject.rawValue) }
    }

    /// Statement for the page and the count; it yields a row even if the page is empty.
    ///
    /// OFFSET 0 keeps PostgreSQL from joining the page with all users of the team: without knowing the limit, it
    /// estimates the page at a tenth of them.
    static func selection(in team: TeamID, matching search: UserSearch?, after cursor: ListCursor?, limit: Int) -> SQL {
        let parts =
            if let search { Search(search, in: team, following: following(cursor), limit: limit).all } else {
                everybody(in: team, following: following(cursor), limit: limit)
            }
        return """
            WITH \(parts)
            SELECT (SELECT number FROM total), u.sub IS NOT NULL, \(UserStore.columns)
            FROM (VALUES (1)) AS one (row)
            LEFT JOIN (
                page CROSS JOIN LATERAL (
                    SELECT * FROM users WHERE team_id = \(team) AND sub = page.sub OFFSET 0
                ) AS u
            ) ON true
            ORDER BY u.created_at DESC, u.sub
            """
    }

    /// Reads all users along the index of their order, as far as the page and the count need.
    private static func everybody(in team: TeamID, following: SQL, limit: Int) -> SQL {
        """
        total AS (
            SELECT count(*) AS number FROM (
                SELECT FROM users c WHERE c.team_id = \(team)
                ORDER BY c.created_at DESC, c.sub LIMIT \(Page<User>.countLimit + 1)
            ) AS counted
        ), page AS (
            SELECT c.sub, c.created_at FROM users c WHERE c.team_id = \(team) AND \(following)
            ORDER BY c.created_at DESC, c.sub
            LIMIT \(limit)
        )
        """
    }

    /// Condition for users after the cursor, with the table alias `c`.
    private static func following(_ cursor: ListCursor?) -> SQL {
        guard let cursor else { return "true" }
        return """
            c.created_at <= \(cursor.at)
            AND (c.created_at < \(cursor.at) OR c.sub > \(cursor.id))
            """
    }
}
