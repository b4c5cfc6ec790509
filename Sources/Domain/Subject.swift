public import Postgres

/// The stable id of a person inside one team (`sub` of OpenID Connect Core section 2).
///
/// Never an e-mail address.
///
/// Generated ones are shaped `000000.<32 hex>.0000`; a person who comes from Apple keeps Apple's.
public struct Subject: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) {
        guard !rawValue.isEmpty, rawValue.utf8.count <= 255,
            rawValue.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        self.rawValue = rawValue
    }

    /// The subject made of 32 hexadecimal digits, which the caller draws at random.
    public init(hexadecimal digits: String) {
        rawValue = "000000.\(digits).0000"
    }

    public var description: String { rawValue }
}
