import Core
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

// Internationalised domains (RFC 5890, 5891): stored and compared as A-labels, shown as U-labels.
extension EmailAddress {
    private static let prefix = "xn--"
    /// Longest text read, in octets.
    private static let longestText = 1024

    /// Creates an address from user input, read as code; its domain may contain other letters than
    /// ASCII: `ada@münchen.example` is `ada@xn--mnchen-3ya.example`.
    public init?(typed: String) {
        guard typed.utf8.count <= Self.longestText else { return nil }
        let text = typed.typedCode
        guard text.utf8.contains(where: { $0 >= 0x80 }) else {
            self.init(rawValue: text)
            return
        }
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        let isDot = { (scalar: Unicode.Scalar) in ".。．｡".unicodeScalars.contains(scalar) }
        let labels = text[at...].unicodeScalars.dropFirst().split(
            omittingEmptySubsequences: false, whereSeparator: isDot)
        let asciiLabels = labels.compactMap { Self.asciiLabel(String($0)) }
        guard asciiLabels.count == labels.count else { return nil }
        self.init(rawValue: String(text.unicodeScalars[...at]) + asciiLabels.joined(separator: "."))
    }

    /// The address for people.
    ///
    /// A label that is no valid one, or may look like another one, stays as it is.
    public var shown: String {
        // Most addresses have no hyphen.
        guard rawValue.utf8.contains(UInt8(ascii: "-")), isMailable, rawValue.lowercased().contains(Self.prefix) else {
            return rawValue
        }
        let parts = rawValue.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        let isOfOtherLetters = labels.last?.lowercased().hasPrefix(Self.prefix) ?? false
        let shown = labels.map { Self.shownLabel(String($0), besideOtherLetters: isOfOtherLetters) }
        return "\(parts[0])@\(shown.joined(separator: "."))"
    }

    /// The A-label of a U-label; other labels of ASCII as they are, nil for what cannot be a label.
    private static func asciiLabel(_ label: String) -> String? {
        guard label.utf8.contains(where: { $0 >= 0x80 }) else { return label }
        let label = label.lowercased().normalizedC
        guard let first = label.unicodeScalars.first, !isMark(first), label.unicodeScalars.allSatisfy(isOfLabel) else {
            return nil
        }
        return Punycode.encode(label).map { prefix + $0 }
    }

    /// - Parameter besideOtherLetters: whether the top-level domain is of other letters than Latin ones, too. Elsewhere a
    ///   label of a script whose letters look like Latin ones (Greek, Cyrillic, Armenian, Cherokee) is not shown.
    private static func shownLabel(_ label: String, besideOtherLetters: Bool) -> String {
        let folded = label.lowercased()
        guard folded.hasPrefix(prefix), let shown = Punycode.decode(String(folded.dropFirst(prefix.utf8.count))),
            let back = asciiLabel(shown), back == folded
        else { return label }
        let letters = shown.unicodeScalars.filter { $0.properties.isAlphabetic }
        // Latin letters end at U+024F but for those of Vietnamese.
        let latin = letters.filter { $0.value < 0x250 || (0x1E00...0x1EFF).contains($0.value) }
        let alike = letters.contains {
            (0x370...0x58F).contains($0.value) || (0x13A0...0x13FF).contains($0.value)
                || (0xAB70...0xABBF).contains($0.value)
        }
        guard latin.isEmpty || latin.count == letters.count else { return label }
        return alike && !besideOtherLetters ? label : shown
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        [.nonspacingMark, .spacingMark].contains(scalar.properties.generalCategory)
    }

    /// Whether a label may contain the scalar: a hyphen, or a letter, mark or digit (RFC 5892 section 2.1), but for
    /// other widths of these, and the exceptions that are punctuation (section 2.6).
    private static func isOfLabel(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .decimalNumber: !(0xFF00...0xFFEF).contains(scalar.value)
        default: isMark(scalar) || ["-", "·", "׳", "״", "・"].contains(scalar)
        }
    }
}
