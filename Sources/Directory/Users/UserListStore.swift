import Core
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

extension UserListStore {
    /// Parts of the statement that finds users by the beginning of a text.
    ///
    /// If few users match, they are found by the indexes of the searched columns and sorted. If many match, users are
    /// read in list order until enough of them match, which is fast then. Each method alone is slow in the other case:
    /// sorting half a million names, or scanning them to find one.
    struct Search {
        /// Most matches for which the index lookup is used.
        private static let few = 2000

        private let text: String
        private let names: [PersonName]
        private let team: TeamID
        private let following: SQL
        private let limit: Int

        /// - Parameter following: condition for users of the page, with the table alias `c`.
        init(_ search: UserSearch, in team: TeamID, following: SQL, limit: Int) {
            text = search.text
            names = search.names
            self.team = team
            self.following = following
            self.limit = limit
        }

        /// Tables `page` and `total`.
        ///
        /// OFFSET 0 keeps PostgreSQL from using the indexes of the searched columns where users are read in list order.
        var all: SQL {
            """
            few AS MATERIALIZED (
                SELECT u.sub, u.created_at FROM users u WHERE u.team_id = \(team) AND u.sub = \(text)
                UNION (\(found(by: "email_key")))
                UNION (\(found(by: "name_key")))
                UNION (\(found(by: "family_key")))
                \(names.map { name -> SQL in "UNION (\(found(name)))" }.joined(separator: " "))
            ), total AS MATERIALIZED (
                SELECT count(*) AS number FROM few
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
                        SELECT c.sub, c.created_at, c.email_key, c.name_key, c.family_key FROM users c
                        WHERE c.team_id = \(team) AND \(following)
                        ORDER BY c.created_at DESC, c.sub
                        OFFSET 0
                    ) AS c
                    WHERE (SELECT number FROM total) > \(Self.few) AND (
                        c.sub = \(text) OR \(begins("c.email_key")) OR \(begins("c.name_key"))
                        OR \(begins("c.family_key"))
                        \(names.map { name -> SQL in "OR \(isCalled(name, "c"))" }.joined(separator: " "))
                    )
                    LIMIT \(limit)
                )
            )
            """
        }

        private func found(by column: SQL) -> SQL {
            """
            SELECT u.sub, u.created_at FROM users u WHERE u.team_id = \(team) AND \(begins("u.\(column)"))
            ORDER BY u.\(column) LIMIT \(Self.few + 1)
            """
        }

        /// Finds those whose name, as it is shown, begins so.
        private func found(_ name: PersonName) -> SQL {
            """
            SELECT u.sub, u.created_at FROM users u WHERE u.team_id = \(team) AND \(isCalled(name, "u"))
            ORDER BY u.name_key LIMIT \(Self.few + 1)
            """
        }

        private func isCalled(_ name: PersonName, _ table: SQL) -> SQL {
            "(\(table).family_key = lower(\(name.family)) AND \(begins("\(table).name_key", with: name.given)))"
        }

        /// Prefix match as a range: under row-level security an index supports leakproof operators only, and LIKE is
        /// not one.
        private func begins(_ column: SQL) -> SQL { begins(column, with: text) }

        private func begins(_ column: SQL, with text: String) -> SQL {
            "(\(column) >= lower(\(text)) AND \(column) < lower(\(text)) || chr(1114111))"
        }
    }
}

/// Search term for a list of users: the beginning of an email address, a full name or a family name in any case, or a
/// whole `sub` or address.
public struct UserSearch: Sendable {
    static let maximumLength = 255

    /// Term as entered, without characters that cannot be part of the searched columns.
    public let text: String

    /// Creates a search term; nil if nothing is left to search for.
    public init?(_ typed: String) {
        let trimmed = typed.removing { $0.properties.generalCategory == .control }.trimmedWhiteSpace
        guard !trimmed.isEmpty else { return nil }
        let term = String(String.UnicodeScalarView(trimmed.unicodeScalars.prefix(Self.maximumLength)))
        self.text = EmailAddress(typed: term)?.rawValue ?? term
    }

    /// Names that are shown as this text, or begin so, in Han, kana or Hangul: their family names have one or two
    /// characters nearly always.
    var names: [PersonName] {
        let scalars = Array(text.unicodeScalars.prefix(PersonName.maximumLength))
        return (1...2).map { count in
            let (family, given) = (scalars.prefix(count), scalars.dropFirst(count))
            return PersonName(stored: String(String.UnicodeScalarView(given)), String(String.UnicodeScalarView(family)))
        }.filter { !$0.given.isEmpty && $0.full.isExactly(text) }
    }
}
