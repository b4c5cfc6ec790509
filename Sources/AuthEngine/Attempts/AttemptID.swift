import Bytes
import Crypto
public import Postgres

/// The name of a sign-in under way: the digit of its slot, then 22 base64url characters.
///
/// The name alone is worth nothing: every step also wants the browser that began it.
public struct AttemptID: SQLText, Hashable, Sendable {
    public let rawValue: String

    public init?(rawValue: String) {
        guard rawValue.utf8.count == 23, Slot(character: rawValue.utf8.first) != nil,
            rawValue.utf8.allSatisfy({ PercentCoding.isUnreserved($0) })
        else { return nil }
        self.rawValue = rawValue
    }

    init(at moment: Timestamp, random: RandomSource) {
        rawValue = Slot(at: moment).character + Base64URL.encode(random.bytes(16))
    }

    var slot: Slot { Slot(character: rawValue.utf8.first) ?? Slot(number: 0) }
}
