import Core
public import OAuth
public import Platform
import Postgres

/// The trace of one sign-in from its request to its tokens, or of a request rejected before a sign-in, as stored.
public struct SignInTrace: Sendable {
    /// Retention period of sign-in traces.
    public static let retention = Duration.seconds(30 * 86_400)

    public let id: TraceID
    /// The client id as sent, not necessarily a client of the team.
    public let clientID: ClientID?
    public let subject: Subject?
    public let outcome: TraceOutcome
    /// The cause of a failure.
    public let cause: RefusalCause?
    /// The reference shown to the user or returned to the app.
    public let reference: String?
    public let isTest: Bool
    /// Whether the app redeemed its code.
    public let isRedeemed: Bool

    /// Reads `TraceListStore.columns`.
    init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        clientID = try row.next()
        subject = try row.next()
        outcome = TraceOutcome(rawValue: try row.next(String.self)) ?? .open
        cause = try row.next(String?.self).map { RefusalCause(rawValue: $0) ?? .other }
        reference = try row.next()
        isTest = try row.next()
        isRedeemed = try row.next()
    }
}
