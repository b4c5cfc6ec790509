import Crypto
import Domain

/// What the recorder keeps of a flow until it is written.
struct PendingFlow {
    let id: FlowID
    /// The first step, with which the flow is stored unless it is there already; nil for a step that comes so late
    /// that its flow is known to be.
    var opening: FlowStep?
    var clientID: ClientID?
    var subject: Subject?
    var outcome = FlowOutcome.open
    var cause: RefusalCause?
    /// Under which the person or the app may ask for it.
    var reference: String?
    var isTrial = false
    var steps: [FlowStep] = []
    /// The code it came with, by which an earlier flow may be found that it belongs to.
    var code: AuthorizationCode?

    init(_ id: FlowID) {
        self.id = id
    }

    /// Takes another step of the same flow.
    mutating func add(_ later: PendingFlow) {
        opening = opening ?? later.opening
        clientID = clientID ?? later.clientID
        subject = later.subject ?? subject
        if later.outcome != .open { (outcome, cause) = (later.outcome, later.cause) }
        reference = later.reference ?? reference
        steps += later.steps.prefix(max(0, FlowDetailStore.stepLimit - steps.count))
    }
}

/// The steps of the moment, by team and flow; bounded.
struct FlowBuffer {
    /// More steps than this are not kept.
    static let capacity = 8192

    private var teams: [TeamID: [FlowID: PendingFlow]] = [:]
    private(set) var count = 0
    /// Of steps that found no room.
    private(set) var dropped = 0

    mutating func add(_ flow: PendingFlow, of team: TeamID) {
        guard count < Self.capacity else {
            dropped += 1
            return
        }
        count += 1
        if teams[team]?[flow.id]?.add(flow) == nil { teams[team, default: [:]][flow.id] = flow }
    }

    /// Takes everything out, each team's flows in the order of their ids: two loops that write the same flows lock
    /// them in the same order.
    mutating func drain() -> [(team: TeamID, flows: [PendingFlow])] {
        defer { (teams, count) = ([:], 0) }
        return teams.map { team, flows in
            (team, flows.values.sorted { $0.id.rawValue < $1.id.rawValue })
        }
    }

    mutating func noteDropped(_ steps: Int) {
        dropped += steps
    }
}
