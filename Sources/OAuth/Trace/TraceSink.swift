public import Core
import Crypto
public import Platform
public import Postgres

/// Receiver of the events of sign-ins, for the team's inspector and its counts.
///
/// Its methods cost no round trip and never fail.
public protocol TraceSink: Sendable {
    /// The operators' log of refusals.
    var refusals: RefusalLog { get }
    /// The server whose sign-ins are recorded, with the clock by which events are dated.
    var server: ServerContext { get }

    /// Records the valid authorization request of an app.
    func begin(
        _ request: AuthorizationRequest, sent fields: [FormCoding.Field], as id: InteractionID, in team: TeamID,
        at moment: Timestamp, from origin: () -> Origin)

    /// Records an event of a user's sign-in to an app.
    func record(_ event: TraceEvent, of interaction: Interaction, in team: TeamID, by subject: Subject?)

    /// Records the redemption of a sign-in's code.
    func redeem(_ event: TraceEvent, of id: TraceID, in team: TeamID)

    /// Records the complete sign-in of a native app that exchanged the result of a provider's sign-in.
    func arrive(_ subject: Subject, at app: ClientID, in team: TeamID, from origin: Origin)

    /// Records a refusal that belongs to no interaction.
    ///
    /// - Parameters:
    ///   - fields: the request's parameters, of which the client and the code are recorded.
    ///   - earlier: an event before the refusal, such as a provider's response.
    ///   - event: the refusal at the given time; not called when a quota is used up.
    func refuse(
        _ fields: [FormCoding.Field], in team: TeamID, cause: RefusalCause, from origin: Origin,
        after earlier: TraceEvent?, _ event: (Timestamp) -> TraceEvent)
}

extension TraceSink {
    /// Records an event of a user's sign-in to an app.
    public func record(
        _ kind: TraceEvent.Kind, of interaction: Interaction, in team: TeamID, by subject: Subject? = nil,
        from origin: Origin, cause: RefusalCause? = nil
    ) {
        record(TraceEvent(kind, at: server.clock(), from: origin, cause: cause), of: interaction, in: team, by: subject)
    }

    /// Records a rejected authorization request.
    public func refuse(
        _ refusal: AuthorizationRefusal, of fields: [FormCoding.Field], to team: TeamSnapshot, from origin: Origin
    ) {
        refuse(fields, in: team.id, cause: refusal.cause, from: origin, after: nil) { moment in
            .refusal(refusal, of: fields, to: team, at: moment, from: origin)
        }
    }

    /// Records a refusal of an endpoint for apps, in the trace of the code it was sent with.
    public func refuse(
        _ error: OAuthError, _ kind: TraceEvent.Kind, of fields: [FormCoding.Field], to team: TeamSnapshot,
        from origin: Origin, after earlier: TraceEvent? = nil
    ) {
        refuse(fields, in: team.id, cause: error.cause, from: origin, after: earlier) { moment in
            .refusal(error, kind, of: fields, to: team, base: server.base(of: team.id), at: moment, from: origin)
        }
    }

    /// Records a page of an interaction that no longer exists.
    public func refuseOver(in team: TeamID, from origin: Origin) {
        refuse([], in: team, cause: .interactionExpired, from: origin, after: nil) { moment in
            TraceEvent(.interactionExpired, at: moment, from: origin, cause: .interactionExpired)
        }
    }
}

/// The id of a sign-in trace: its start in milliseconds as twelve hexadecimal digits, then sixteen more.
///
/// Ids sort by time, a time range is a range of ids, and the id alone determines the partition. The sixteen digits are
/// the request's id when the trace is a single request, else derived from the interaction; they are not secret.
public struct TraceID: SQLText, Hashable, Sendable {
    static let length = 28

    public let rawValue: String

    public init?(rawValue: String) {
        guard rawValue.utf8.count == Self.length, rawValue.utf8.allSatisfy(Self.isDigit) else { return nil }
        self.rawValue = rawValue
    }

    /// The id of an interaction's trace, the same for each of its events, computed without a look-up.
    public init(of interaction: InteractionID, begunAt moment: Timestamp) {
        rawValue = Self.prefix(moment) + Hex.encode(SHA256.hash(interaction.rawValue).prefix(8))
    }

    /// The id of the trace of a single request, made from that request's id.
    public init(ofRequest id: String, at moment: Timestamp) {
        let isHex = id.utf8.count == 16 && id.utf8.allSatisfy(Self.isDigit)
        rawValue = Self.prefix(moment) + (isHex ? id : Hex.encode(SHA256.hash(id).prefix(8)))
    }

    /// Start of the trace, to the millisecond.
    public var startedAt: Timestamp { Timestamp(microseconds: (Int64(rawValue.prefix(12), radix: 16) ?? 0) * 1000) }

    /// The first digits of ids of that time, a lower bound for these and all later ids.
    public static func prefix(_ moment: Timestamp) -> String {
        let digits = String(max(0, moment.microseconds / 1000), radix: 16)
        return String(repeating: "0", count: max(0, 12 - digits.utf8.count)) + digits
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
