public import Bytes
public import Domain
import Postgres

/// One sign-in from its request to its tokens, or a request that never became one, as it is read back.
public struct Flow: Sendable {
    /// How long flows are kept.
    public static let retention = Duration.seconds(30 * 86_400)

    public let id: FlowID
    /// As it was sent: it need not be a client of the team.
    public let clientID: ClientID?
    public let subject: Subject?
    public let outcome: FlowOutcome
    /// What it failed of.
    public let cause: RefusalCause?
    /// The reference the person or the app was given.
    public let reference: String?
    public let isTrial: Bool
    /// Whether the app redeemed its code.
    public let isRedeemed: Bool

    /// Reads `FlowListStore.columns`.
    init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        clientID = try row.next()
        subject = try row.next()
        outcome = FlowOutcome(rawValue: try row.next(String.self)) ?? .open
        cause = try row.next(String?.self).map { RefusalCause(rawValue: $0) ?? .other }
        reference = try row.next()
        isTrial = try row.next()
        isRedeemed = try row.next()
    }
}

/// A page of a list of flows, newest first.
public struct FlowPage: Sendable {
    public let flows: [Flow]
    /// After which flow the next page begins; nil on the last one.
    public let next: FlowID?
    /// How many there are, counted up to `FlowListStore.countLimit`; one more stands for "more than that".
    public let total: Int
}

/// What to look for in a list of flows.
public struct FlowFilter: Sendable {
    public var client: ClientID?
    public var outcome: FlowOutcome?
    public var cause: RefusalCause?
    public var subject: Subject?
    /// From this moment on.
    public var from: Timestamp?
    /// Before this moment.
    public var until: Timestamp?
    public var leavesOutTrials = false

    public init() {}
}
