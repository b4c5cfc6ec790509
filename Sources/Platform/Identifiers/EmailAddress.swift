public import Postgres

/// An email address within the limits of RFC 5321: a dot-atom, `@` and a host name of two labels or more.
///
/// Quoted local parts, address literals and internationalised local parts are rejected, except in an address that a
/// provider signed (`isMailable`). An address is a destination for mail; it never identifies a user.
public struct EmailAddress: SQLText, Hashable, Sendable, CustomStringConvertible {
    /// Maximum octets: a forward-path of 256 octets less its angle brackets (RFC 5321 section 4.5.3.1.3).
    public static let maximumLength = 254
    /// Maximum octets before the `@` (RFC 5321 section 4.5.3.1.1).
    static let maximumLocalPart = 64

    public let rawValue: String

    public init?(rawValue: String) {
        let parts = rawValue.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard rawValue.utf8.count <= Self.maximumLength, parts.count == 2, parts[0].count <= Self.maximumLocalPart,
            Self.isDotAtom(parts[0]), Self.isHostName(parts[1])
        else { return nil }
        self.rawValue = rawValue
    }

    /// An address as a provider signed it, or as stored: any text that is not empty and not too long.
    ///
    /// Providers know addresses that RFC 5321 does not, such as `taro..yamada@docomo.ne.jp`.
    public init?(signed rawValue: String) {
        guard (1...Self.maximumLength).contains(rawValue.utf8.count) else { return nil }
        self.rawValue = rawValue
    }

    public static func decode(_ bytes: UnsafeRawBufferPointer) -> EmailAddress? {
        unsafe String.decode(bytes).flatMap(Self.init(signed:))
    }

    /// Whether mail can be sent there: false for some addresses that a provider signed.
    public var isMailable: Bool { Self(rawValue: rawValue) != nil }

    /// An address that cannot receive mail (RFC 2606 section 2).
    public static let nobody = EmailAddress(reserved: "nobody@nowhere.invalid")

    private init(reserved rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }

    /// Whether the text consists of runs of `atext` between single dots (RFC 5322 section 3.2.3).
    private static func isDotAtom(_ text: Substring.UTF8View) -> Bool {
        text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty && $0.allSatisfy { isAlphanumeric($0) || symbols.contains($0) }
        }
    }

    /// Whether the text is labels of letters, digits and inner hyphens, 63 octets each (RFC 1123 section 2.1).
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
