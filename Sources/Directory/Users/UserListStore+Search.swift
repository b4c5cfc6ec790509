import Domain
import Postgres

extension UserListStore {
    /// The parts of the statement that finds users by the beginning of a text.
    ///
    /// Those who match are looked up by the indexes of the searched columns as long as they are few, and sorted.
    /// Where they are many, users are read in their order until enough of them match, which does not take long then.
    /// Either way alone is slow for the other case: sorting half a million names, or walking past them to find one.
    struct Search {
        /// What each index is asked for at most.
        private static let few = 2000

        private let text: String
        private let team: TeamID
        private let following: SQL
        private let limit: Int

        /// - Parameter following: what users of the page have to be, who go by `c`.
        init(_ search: UserSearch, in team: TeamID, following: SQL, limit: Int) {
            text = search.text
            self.team = team
            self.following = following
            self.limit = limit
        }

        /// Tables `page` and `total`.
        ///
        /// OFFSET 0 keeps PostgreSQL from looking up by the searched columns what is to be read in order.
        var all: SQL {
            """
            few AS MATERIALIZED (
                SELECT u.sub, u.created_at FROM users u WHERE u.team_id = \(team) AND u.sub = \(text)
                UNION (\(found(by: "email_key")))
                UNION (\(found(by: "name_key")))
                UNION (\(found(by: "family_key")))
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

        /// A prefix as a range: under row-level security an index serves leakproof operators only, and LIKE is none.
        private func begins(_ column: SQL) -> SQL {
            "(\(column) >= lower(\(text)) AND \(column) < lower(\(text)) || chr(1114111))"
        }
    }
}
