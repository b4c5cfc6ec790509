public import Postgres

/// Address of a team's privacy policy or terms: an absolute `https` URL.
///
/// Only the browsers of users open it, so of its host only the presence is checked.
public struct LegalURL: SQLText, Hashable, Sendable, CustomStringConvertible {
    public static let maximumLength = 2048

    public let rawValue: String

    public init?(rawValue: String) {
        let rest = rawValue.utf8.dropFirst("https://".utf8.count)
        guard rawValue.hasPrefix("https://"), rawValue.utf8.count <= Self.maximumLength, let first = rest.first,
            first != UInt8(ascii: "/"), first != UInt8(ascii: "?"),
            rest.prefix(while: { $0 != UInt8(ascii: "/") }).allSatisfy({ $0 != UInt8(ascii: "@") }),
            rest.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) })
        else { return nil }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}
