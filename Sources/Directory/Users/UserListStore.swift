import Core
public import Platform
import Postgres

/// Lists the users of a team in pages.
public struct UserListStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Batches of changed users whose terms are written before a search, so that it finds who has just come.
    private static let batchesBefore = 4

    /// Up to `limit` users, newest first, after `cursor` if given.
    public func page(in team: TeamID, matching search: UserSearch? = nil, after cursor: ListCursor? = nil, limit: Int)
        async throws -> Page<User>
    {
        if search != nil { try await UserSearchTermStore(database).update(in: team, atMost: Self.batchesBefore) }
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

extension UserListStore {
    /// Parts of the statement that finds users by the beginning of a text.
    ///
    /// If few users match, they are found by the index of the terms and sorted. If many match, users are read in list order
    /// until enough of them match, which is fast then. Each method alone is slow in the other case: sorting half a million
    /// users, or reading them to find one.
    struct Search {
        /// Most users for whom the index lookup is used, and most terms, of which a user may have several that begin alike.
        private static let (few, terms) = (2000, 16_000)

        private let search: UserSearch
        private let team: TeamID
        private let following: SQL
        private let limit: Int

        /// - Parameter following: condition for users of the page, with the table alias `c`.
        init(_ search: UserSearch, in team: TeamID, following: SQL, limit: Int) {
            self.search = search
            self.team = team
            self.following = following
            self.limit = limit
        }

        /// Tables `page` and `total`.
        ///
        /// OFFSET 0 keeps PostgreSQL from using the index of terms where users are read in list order.
        var all: SQL {
            """
            begun AS MATERIALIZED (
                SELECT t.sub FROM user_search_terms t WHERE t.team_id = \(team) AND \(begins)
                LIMIT \(Self.terms)
            ), found AS MATERIALIZED (
                SELECT DISTINCT sub FROM begun LIMIT \(Self.few + 1)
            ), few AS MATERIALIZED (
                SELECT u.sub, u.created_at FROM users u
                WHERE u.team_id = \(team) AND u.sub IN (SELECT sub FROM found UNION SELECT \(search.code))
            ), total AS MATERIALIZED (
                SELECT greatest((SELECT count(*) FROM few), CASE WHEN (SELECT count(*) FROM begun) = \(Self.terms)
                    THEN \(Self.few + 1) END) AS number
            ), page AS (
                (
                    SELECT c.sub, c.created_at FROM few c
                    WHERE (SELECT number FROM total) <= \(Self.few) AND \(following)
                    ORDER BY c.created_at DESC, c.sub
                    LIMIT \(limit)
                )
                UNION ALL
                (
                    SELECT c.sub, c.created_at FROM (
                        SELECT c.sub, c.created_at FROM users c
                        WHERE c.team_id = \(team) AND \(following)
                        ORDER BY c.created_at DESC, c.sub
                        OFFSET 0
                    ) AS c
                    WHERE (SELECT number FROM total) > \(Self.few) AND (
                        c.sub = \(search.code) OR EXISTS (
                            SELECT FROM user_search_terms t WHERE t.team_id = \(team) AND t.sub = c.sub AND \(begins)
                        )
                    )
                    LIMIT \(limit)
                )
            )
            """
        }

        /// Prefix match as a range: under row-level security an index supports leakproof operators only, and LIKE is
        /// not one.
        private var begins: SQL { "t.term >= \(search.folded) AND t.term < \(search.folded) || chr(1114111)" }
    }
}

/// Search term for a list of users: the beginning of a name or an address, or of any word of these, or a whole `sub`.
public struct UserSearch: Sendable {
    /// In octets; longer than any name or address.
    private static let longest = 1024
    let folded: String
    /// The text as a `sub` is written.
    let code: String

    /// Creates a search term; nil if nothing is left to search for.
    public init?(_ typed: String) {
        let typed = typed.cut(toOctets: Self.longest).withoutNUL
        (folded, code) = (typed.folded.cut(toOctets: String.longestTerm), typed.typedCode)
        if folded.isEmpty { return nil }
    }

    /// The terms that find a user: the name in both orders and the addresses, each from each of its words on; of an address
    /// the domain is one word.
    static func terms(of name: PersonName, _ addresses: [EmailAddress]) -> Set<String> {
        var terms = ["\(name.given) \(name.family)", "\(name.family) \(name.given)"].flatMap(\.searchTerms)
        for address in Set(addresses.flatMap { [$0.rawValue, $0.shown] }) {
            let parts = address.split(separator: "@", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let domain = String(parts[1]).folded
            terms += [domain] + String(parts[0]).searchTerms.map { "\($0)@\(domain)" }
        }
        return Set(terms)
    }
}
