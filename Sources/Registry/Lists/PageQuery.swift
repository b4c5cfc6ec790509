import Bytes

/// Which part of a list is wanted.
public struct PageQuery<Cursor: Sendable>: Sendable {
    /// What the name or the description begins with, whatever the case; empty finds all.
    public let search: String
    /// Where the page begins: what the one before gave as `next`.
    public let after: Cursor?
    /// Items on the page: 1 to 200.
    public let limit: Int

    public init(search: String = "", after: Cursor? = nil, limit: Int = 25) {
        self.search = search.withoutNUL.lowercased()
        self.after = after
        self.limit = min(max(limit, 1), 200)
    }
}
