import Postgres

/// One page of a list.
public struct Page<Item: Sendable, Cursor: Sendable>: Sendable {
    public let items: [Item]
    /// Where the next page begins, or nil when this is the last.
    public let next: Cursor?
    /// How many there are on all pages.
    public let total: Int

    /// Reads rows of a count, whether there is an item, and the item: the count joins a page that may be empty, so
    /// that one statement answers both.
    ///
    /// There are up to `limit + 1` items; the one too many only tells that there is a next page.
    init(
        _ rows: Rows,
        limit: Int,
        read: (inout Row) throws(PostgresFailure) -> Item,
        cursor: (Item) -> Cursor
    ) throws(PostgresFailure) {
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
