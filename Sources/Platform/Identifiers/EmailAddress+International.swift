import Core

// Internationalised domains (RFC 5890, 5891): stored and compared as A-labels, shown as U-labels.
extension EmailAddress {
    private static let prefix = "xn--"
    /// Longest text read, in octets.
    private static let longestText = 1024

    /// Creates an address from user input, without white space around it; its domain may contain other letters than
    /// ASCII: `ada@münchen.example` is `ada@xn--mnchen-3ya.example`.
    public init?(typed: String) {
        let text = typed.trimmedWhiteSpace
        guard text.utf8.contains(where: { $0 >= 0x80 }) else {
            self.init(rawValue: text)
            return
        }
        guard text.utf8.count <= Self.longestText, let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else {
            return nil
        }
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
