import Core
import Crypto
public import Postgres

/// The id of an interaction: the digit of its time partition, then 22 base64url characters.
///
/// The id alone gives no access: every step also requires the browser that started the interaction.
public struct InteractionID: SQLText, Hashable, Sendable {
    public let rawValue: String

    public init?(rawValue: String) {
        guard rawValue.utf8.count == 23, TimePartition(character: rawValue.utf8.first) != nil,
            rawValue.utf8.allSatisfy({ PercentCoding.isUnreserved($0) })
        else { return nil }
        self.rawValue = rawValue
    }

    init(at moment: Timestamp, random: RandomSource) {
        rawValue = TimePartition(at: moment).character + Base64URL.encode(random.bytes(16))
    }

    var timePartition: TimePartition { TimePartition(character: rawValue.utf8.first) ?? TimePartition(number: 0) }
}
