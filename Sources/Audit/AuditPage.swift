/// A part of the log, newest first.
public struct AuditPage: Sendable {
    public let entries: [AuditEntry]
    /// Where the next page begins, when there is one.
    public let next: AuditEntry.Place?
    /// Whether the search stopped at `next` before it had found enough: what lies further back was not looked at.
    public let isPartial: Bool
    /// How many events fit in all, counted up to 1,000 and no further than the page is searched; nil of a batch, and of a
    /// page that is partial.
    public let count: AuditCount?
}

/// How many events fit a filter, as far as they are counted.
public enum AuditCount: Hashable, Sendable {
    case exactly(Int)
    case moreThan(Int)
}
