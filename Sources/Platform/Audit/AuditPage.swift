/// A page of events, newest first.
public struct AuditPage: Sendable {
    public let entries: [AuditEntry]
    /// Where the next page begins, or nil when there is none.
    public let next: AuditEntry.Place?
    /// Whether the search stopped at `next` before the page was full, without examining older events.
    public let isPartial: Bool
    /// Number of matching events, counted up to 1,000 and no further than a page is searched; nil for a batch and for a
    /// partial page.
    public let count: AuditCount?
}

/// Number of events that match a filter, exact or as a lower bound.
public enum AuditCount: Hashable, Sendable {
    case exactly(Int)
    case moreThan(Int)
}
