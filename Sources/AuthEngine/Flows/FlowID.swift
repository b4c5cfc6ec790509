public import Bytes
import Crypto
import Domain
public import Postgres

/// The name of a flow: its first moment in twelve hexadecimal digits of milliseconds, then sixteen more.
///
/// So ids sort by time, a range of time is a range of ids, and an id alone finds its partition. The sixteen are the
/// id of the request, where the flow is one request, or derived from the attempt; they are no secret.
public struct FlowID: SQLText, Hashable, Sendable {
    static let length = 28

    public let rawValue: String

    public init?(rawValue: String) {
        guard rawValue.utf8.count == Self.length, rawValue.utf8.allSatisfy(Self.isDigit) else { return nil }
        self.rawValue = rawValue
    }

    /// The flow of a sign-in under way: the same for each of its steps, without a look-up.
    public init(of attempt: AttemptID, begunAt moment: Timestamp) {
        rawValue = Self.prefix(moment) + Hex.encode(SHA256.hash(attempt.rawValue).prefix(8))
    }

    /// A flow that is one request, under that request's id.
    public init(ofRequest id: String, at moment: Timestamp) {
        let isHex = id.utf8.count == 16 && id.utf8.allSatisfy(Self.isDigit)
        rawValue = Self.prefix(moment) + (isHex ? id : Hex.encode(SHA256.hash(id).prefix(8)))
    }

    /// When the flow began, to the millisecond.
    public var startedAt: Timestamp {
        Timestamp(microseconds: (Int64(rawValue.prefix(12), radix: 16) ?? 0) * 1000)
    }

    /// What ids of that moment begin with: they and all later ones are not less.
    public static func prefix(_ moment: Timestamp) -> String {
        let digits = String(max(0, moment.microseconds / 1000), radix: 16)
        return String(repeating: "0", count: max(0, 12 - digits.utf8.count)) + digits
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
