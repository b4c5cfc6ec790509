import Core
public import Platform

/// Search text, start and size of a page of a list.
public struct PageQuery: Sendable {
    /// Prefix of the identifier, name or description, ignoring case; empty matches all items.
    public let search: String
    /// Start of the page: `next` of the previous page.
    public let after: ListCursor?
    /// Maximum number of items on the page: 1 to 200.
    public let limit: Int

    public init(search: String = "", after: ListCursor? = nil, limit: Int = 25) {
        self.search = search.withoutNUL.lowercased()
        self.after = after
        self.limit = min(max(limit, 1), 200)
    }
}
