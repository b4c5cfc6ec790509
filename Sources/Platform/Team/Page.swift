public import Postgres

/// One page of a list.
public struct Page<Item: Sendable>: Sendable {
    /// Number up to which lists count that may be long; their `total` is one more if there are more.
    public static var countLimit: Int { 1000 }

    public let items: [Item]
    /// Where the next page begins; nil on the last page.
    public let next: ListCursor?
    /// Number of items on all pages.
    public let total: Int

    /// - Parameter found: the items of the page, and one more if there is another page.
    @inlinable public init(_ found: [Item], limit: Int, total: Int, cursor: (Item) -> ListCursor) {
        items = Array(found.prefix(limit))
        next = found.count > limit ? items.last.map(cursor) : nil
        self.total = total
    }

    /// Reads rows of the total, whether there is an item, and the item's columns.
    ///
    /// The total is joined with a page that may be empty, so that one statement returns both.
    ///
    /// Inlinable because it is then specialized for the caller's items.
    @inlinable public init(
        _ rows: Rows, limit: Int, read: (inout Row) throws(PostgresFailure) -> Item, cursor: (Item) -> ListCursor
    ) throws(PostgresFailure) {
        var total = 0
        var found: [Item] = []
        for var row in rows {
            total = try row.next()
            if try row.next(Bool.self) { found.append(try read(&row)) }
        }
        self.init(found, limit: limit, total: total, cursor: cursor)
    }
}
