public import Postgres

/// An e-mail address within the limits of RFC 5321: a dot-atom, `@` and a host name of two labels or more.
///
/// Quoted names, address literals and internationalised parts are refused. An address says where to write to; it
/// never says who somebody is.
public struct EmailAddress: SQLText, Hashable, Sendable, CustomStringConvertible {
    /// A forward-path of 256 octets less its angle brackets (RFC 5321 section 4.5.3.1.3).
    public static let maximumLength = 254
    /// RFC 5321 section 4.5.3.1.1.
    static let maximumLocalPart = 64

    public let rawValue: String

    public init?(rawValue: String) {
        let parts = rawValue.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard rawValue.utf8.count <= Self.maximumLength, parts.count == 2,
            parts[0].count <= Self.maximumLocalPart, Self.isDotAtom(parts[0]), Self.isHostName(parts[1])
        else { return nil }
        self.rawValue = rawValue
    }

    /// An address that no mail reaches (RFC 2606 section 2).
    public static let nobody = EmailAddress(reserved: "nobody@nowhere.invalid")

    private init(reserved rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }

    /// RFC 5322 section 3.2.3: runs of `atext` between single dots.
    private static func isDotAtom(_ text: Substring.UTF8View) -> Bool {
        text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && $0.allSatisfy { isAlphanumeric($0) || symbols.contains($0) } }
    }

    /// RFC 1123 section 2.1: letters, digits and inner hyphens, 63 octets a label.
    private static func isHostName(_ text: Substring.UTF8View) -> Bool {
        let labels = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let hyphen = UInt8(ascii: "-")
        return labels.count >= 2
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
                    && label.allSatisfy { isAlphanumeric($0) || $0 == hyphen }
            }
    }

    private static let symbols = Array("!#$%&'*+-/=?^_`{|}~".utf8)

    private static func isAlphanumeric(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
