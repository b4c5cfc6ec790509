public import Core
import Crypto
public import Postgres

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
