import Crypto
import OAuth
import Platform

/// The unwritten part of a sign-in trace.
struct PendingTrace {
    let id: TraceID
    /// The first event, with which the trace is created unless it exists; nil for a late event, whose trace is certain
    /// to exist.
    var opening: TraceEvent?
    var clientID: ClientID?
    var subject: Subject?
    var outcome = TraceOutcome.open
    var cause: RefusalCause?
    /// The reference by which the user or the app may ask for the trace.
    var reference: String?
    var isTest = false
    var steps: [TraceEvent] = []
    /// The code of the request, by which the earlier trace of its sign-in may be found.
    var code: AuthorizationCode?

    init(_ id: TraceID) { self.id = id }

    /// Merges a later event of the same trace.
    mutating func add(_ later: PendingTrace) {
        opening = opening ?? later.opening
        clientID = clientID ?? later.clientID
        subject = later.subject ?? subject
        if later.outcome != .open { (outcome, cause) = (later.outcome, later.cause) }
        reference = later.reference ?? reference
        steps += later.steps.prefix(max(0, TraceDetailStore.stepLimit - steps.count))
    }
}

/// The unwritten events, by team and trace; bounded.
struct TraceBuffer {
    /// Most buffered events; further ones are dropped.
    static let capacity = 8192

    private var teams: [TeamID: [TraceID: PendingTrace]] = [:]
    private(set) var count = 0
    /// Number of dropped events.
    private(set) var dropped = 0

    mutating func add(_ trace: PendingTrace, of team: TeamID) {
        guard count < Self.capacity else {
            dropped += 1
            return
        }
        count += 1
        if teams[team]?[trace.id]?.add(trace) == nil { teams[team, default: [:]][trace.id] = trace }
    }

    /// Removes everything, each team's traces in the order of their ids, so that two loops that write the same traces
    /// lock them in the same order.
    mutating func drain() -> [(team: TeamID, traces: [PendingTrace])] {
        defer { (teams, count) = ([:], 0) }
        return teams.map { team, traces in (team, traces.values.sorted { $0.id.rawValue < $1.id.rawValue }) }
    }

    mutating func noteDropped(_ steps: Int) { dropped += steps }
}
