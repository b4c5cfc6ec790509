public import Core

/// Conditions of a search in the audit log; an event matches when it meets every condition that is set.
public struct AuditFilter: Hashable, Sendable {
    /// Actors by `sub`, client ID or name of a command; an event matches any of them.
    public var actors: [String]?
    /// The action exactly as recorded, such as `app_id.created`.
    public var action: String?
    /// The target by its name, such as an identifier; `targetKind` narrows it where two kinds share a name.
    public var target: String?
    public var targetKind: String?
    public var addresses: AddressRange?
    public var outcome: AuditEvent.Outcome?
    /// The period, from `since` inclusive to `until` exclusive.
    public var since: Timestamp?
    public var until: Timestamp?
    /// Search terms (see `EventSearchTerms`); an event must have all of them.
    public var words: [String] = []

    public init() {}
}
