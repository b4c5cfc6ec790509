import Core
public import Platform
import Postgres

/// Search text, start and size of a page of a list.
public struct PageQuery: Sendable {
    /// Beginning of a word of the identifier, name or description, folded; empty for all items.
    let search: String
    /// Start of the page: `next` of the previous page.
    public let after: ListCursor?
    /// Maximum number of items on the page: 1 to 200.
    public let limit: Int

    public init(search: String = "", after: ListCursor? = nil, limit: Int = 25) {
        self.search = search.withoutNUL.folded
        self.after = after
        self.limit = min(max(limit, 1), 200)
    }

    /// The condition for the items that the search finds.
    ///
    /// The texts are folded here, since PostgreSQL folds otherwise; a team has few enough.
    ///
    /// - Parameters:
    ///   - key: column of the key.
    ///   - texts: selection of the key and another text of every item.
    func condition(on key: SQL, among texts: SQL, in team: TeamID, _ database: TeamDatabase)
        async throws(PostgresFailure) -> SQL
    {
        if search.isEmpty { return "true" }
        var found: [String] = []
        for var row in try await database.search(texts, in: team) {
            let (id, text): (String, String) = (try row.next(), try row.next())
            if (id.searchTerms + text.searchTerms).contains(where: { $0.utf8.starts(with: search.utf8) }) {
                found.append(id)
            }
        }
        return "\(key) = ANY (\(found))"
    }
}
