public import Core
public import OAuth
public import Platform

/// The search conditions for a list of sign-in traces.
public struct TraceFilter: Sendable {
    public var client: ClientID?
    public var outcome: TraceOutcome?
    public var cause: RefusalCause?
    public var subject: Subject?
    /// Earliest time, inclusive.
    public var from: Timestamp?
    /// Latest time, exclusive.
    public var until: Timestamp?
    public var leavesOutTests = false

    public init() {}
}
