public import Crypto
public import Postgres

/// An unguessable id: 26 characters of base32, five random bits each.
///
/// - Parameter Named: type of the named thing, so that an id cannot be used as an id of another kind.
public struct RandomID<Named>: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) {
        let isID =
            rawValue.utf8.count == length
            && rawValue.utf8.allSatisfy { character in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
                    || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(character)
            }
        guard isID else { return nil }
        self.rawValue = rawValue
    }

    /// Creates a random id.
    public init(random: RandomSource) { rawValue = random.text(length, from: .readable) }

    public var description: String { rawValue }
}

private let length = 26
