public import Crypto
public import Postgres

/// The id of a job and of its receipt: 26 characters of base32, 130 random bits.
///
/// Whoever knows it may be told the job's fate, so it cannot be guessed.
public struct JobID: SQLText, Hashable, Sendable, CustomStringConvertible {
    private static let length = 26

    public let rawValue: String

    public init?(rawValue: String) {
        let isID =
            rawValue.utf8.count == Self.length
            && rawValue.utf8.allSatisfy { character in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
                    || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(character)
            }
        guard isID else { return nil }
        self.rawValue = rawValue
    }

    /// A new id.
    public init(random: RandomSource) {
        rawValue = random.text(Self.length, from: .readable)
    }

    public var description: String { rawValue }
}
