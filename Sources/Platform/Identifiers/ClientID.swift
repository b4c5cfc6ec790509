public import Postgres

/// Identifier of an App ID (a bundle ID) or of a Service ID: the protocol's `client_id`.
///
/// Letters, digits, `-` and `.`, in reverse-DNS form, at most 255 characters. Identifiers of one team must differ in
/// more than case, although the protocol compares them exactly (Apple, TN3107).
public struct ClientID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public static let maximumLength = 255

    public let rawValue: String

    public init?(rawValue: String) {
        guard rawValue.utf8.count <= Self.maximumLength else { return nil }
        var labels = 1
        var length = 0
        for character in rawValue.utf8 {
            switch character {
            case UInt8(ascii: ".") where length > 0: (labels, length) = (labels + 1, 0)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                length += 1
            default: return nil
            }
        }
        guard labels >= 2, length > 0 else { return nil }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}
