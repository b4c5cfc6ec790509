import Core
public import Platform
public import Postgres

/// Lists teams across tenants, which the role of a single team cannot see: reads only teams, under the system role.
///
/// The system team is in no list; the names of deleted teams are only for operators.
public struct TeamListStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) { self.database = database }

    /// Returns up to `limit` teams for operators, newest first, those after `cursor` if given.
    ///
    /// - Parameters:
    ///   - search: the beginning of a name in any case, or a whole id.
    ///   - hidden: a team that is left out.
    public func page(
        matching search: String? = nil, without hidden: TeamID? = nil, after cursor: ListCursor? = nil, limit: Int
    ) async throws(PostgresFailure) -> Page<Team> {
        let known = Self.matching(search?.withoutNUL.typedLine, without: hidden)
        let rows = try await database.query(
            """
            SELECT (
                SELECT count(*) FROM teams t WHERE \(known)
            ), t.team_id IS NOT NULL, \(Team.columns)
            FROM (VALUES (1)) AS one (row) LEFT JOIN (
                SELECT * FROM teams t WHERE \(known) AND \(Self.following(cursor))
                ORDER BY t.created_at DESC, t.team_id LIMIT \(limit + 1)
            ) AS t ON true
            ORDER BY t.created_at DESC, t.team_id
            """)
        return try Page(rows, limit: limit, read: Team.init) { ListCursor($0.createdAt, $0.id.rawValue) }
    }

    /// Returns those of `teams` that are open and have no members, such as teams that a registry file created.
    public func memberless(among teams: [TeamID]) async throws(PostgresFailure) -> Set<TeamID> {
        let rows = try await database.query(
            """
            SELECT t.team_id FROM teams t
            WHERE t.team_id = ANY (\(teams.map(\.rawValue))) AND coalesce(t.closed_at, t.deleted_at) IS NULL
                AND NOT EXISTS (SELECT FROM memberships m WHERE m.team_id = t.team_id)
            """)
        return Set(try rows.column())
    }

    private static func matching(_ search: String?, without hidden: TeamID?) -> SQL {
        let known: SQL = "NOT t.is_system AND t.team_id IS DISTINCT FROM \(hidden)"
        guard let search, !search.isEmpty else { return known }
        return """
            \(known) AND (
                lower(t.name) COLLATE "C" >= lower(\(search))
                    AND lower(t.name) COLLATE "C" < lower(\(search)) || chr(1114111)
                OR t.team_id = upper(\(search))
            )
            """
    }

    private static func following(_ cursor: ListCursor?) -> SQL {
        guard let cursor else { return "true" }
        return """
            t.created_at <= \(cursor.at)
            AND (t.created_at < \(cursor.at) OR t.team_id > \(cursor.id))
            """
    }
}
