public import Core

/// Sort key of an item of a list: the last item of a page is where the next page begins.
public struct ListCursor: Hashable, Sendable {
    public let at: Timestamp
    public let id: String

    public init(_ at: Timestamp, _ id: String) {
        self.at = at
        self.id = id
    }

    /// The sort key in a list that is sorted by id alone.
    public init(_ id: String) { self.init(Timestamp(microseconds: 0), id) }
}
