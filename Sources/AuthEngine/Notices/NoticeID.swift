import Crypto
public import Postgres

/// The id of a notice, and its `jti`: 26 characters of base32.
///
/// It stays the same however often the notice is sent, so that an app acts on it once.
public struct NoticeID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) {
        guard RandomID.isValid(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    init(random: RandomSource) {
        rawValue = RandomID.make(random)
    }

    public var description: String { rawValue }
}

/// The id of the receipt of a deletion: whoever knows it may read it, so it cannot be guessed.
public struct ReceiptID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) {
        guard RandomID.isValid(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    init(random: RandomSource) {
        rawValue = RandomID.make(random)
    }

    public var description: String { rawValue }
}

/// The shape these ids share: 26 characters of base32, five random bits each.
enum RandomID {
    private static let length = 26

    static func make(_ random: RandomSource) -> String {
        random.text(length, from: .readable)
    }

    static func isValid(_ text: String) -> Bool {
        text.utf8.count == length
            && text.utf8.allSatisfy { character in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
                    || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(character)
            }
    }
}
