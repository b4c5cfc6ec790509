public import Core
public import HTTP

/// Conditions of a search in the audit log; an event matches when it meets every condition that is set.
public struct AuditFilter: Hashable, Sendable {
    /// Actors by `sub`, client ID or name of a command; an event matches any of them.
    public var actors: [String]?
    /// The action exactly as recorded, such as `app_id.created`.
    public var action: String?
    /// The target by its name, such as an identifier; `targetKind` narrows it where two kinds share a name.
    public var target: String?
    public var targetKind: String?
    public var addresses: AddressBlock?
    public var outcome: AuditEvent.Outcome?
    /// The period, from `since` inclusive to `until` exclusive.
    public var since: Timestamp?
    public var until: Timestamp?
    /// Search terms as typed (see `EventSearchTerms`); an event must have all of them.
    public var words: [String] = []

    public init() {}
}

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
