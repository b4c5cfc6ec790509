import Postgres

/// One page of a list.
public struct Page<Item: Sendable, Cursor: Sendable>: Sendable {
    public let items: [Item]
    /// The cursor of the next page, or nil when this is the last.
    public let next: Cursor?
    /// Number of items on all pages.
    public let total: Int

    /// Reads rows of the total, whether there is an item, and the item's columns.
    ///
    /// The total is joined with a page that may be empty, so that one statement returns both. There are up to `limit +
    /// 1` items; the last one only shows that there is a next page.
    init(_ rows: Rows, limit: Int, read: (inout Row) throws(PostgresFailure) -> Item, cursor: (Item) -> Cursor)
        throws(PostgresFailure)
    {
        var total = 0
        var items: [Item] = []
        for var row in rows {
            total = try row.next()
            let hasItem: Bool = try row.next()
            if hasItem { items.append(try read(&row)) }
        }
        let hasNext = items.count > limit
        if hasNext { items.removeLast() }
        self.items = items
        next = hasNext ? items.last.map(cursor) : nil
        self.total = total
    }
}
