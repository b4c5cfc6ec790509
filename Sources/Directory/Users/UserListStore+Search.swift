import Platform
import Postgres

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
