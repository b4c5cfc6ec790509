public import Bytes

/// What events a reader asks for; everything that is given must fit.
public struct AuditFilter: Hashable, Sendable {
    /// Any of these actors: by `sub`, client ID or name of a command.
    public var actors: [String]?
    /// As it is recorded, such as `app_id.created`.
    public var action: String?
    /// The thing by its name, such as an identifier; `targetKind` narrows it where two kinds share a name.
    public var target: String?
    public var targetKind: String?
    public var addresses: AddressRange?
    public var outcome: AuditEvent.Outcome?
    /// The first moment, and the first that is too late.
    public var since: Timestamp?
    public var until: Timestamp?
    /// Words of `EventWords` that all stand in the event.
    public var words: [String] = []

    public init() {}
}
