/// A language of the pages and emails.
///
/// The raw value is the language tag (BCP 47), which is also the name of the folder with its texts.
public enum Language: String, Hashable, Sendable, CaseIterable {
    case english = "en"
    case german = "de"
    case russian = "ru"
    case chinese = "zh-Hans"
    case indonesian = "id"

    /// The language tag for `<html lang>` and `Content-Language`.
    public var tag: String { rawValue }

    /// Languages in which the family name comes first (CLDR 44, person names, `surnameFirst`).
    private static let familyNameFirst = ["hu", "ja", "ko", "vi", "yue", "zh", "cmn"]

    /// Whether forms ask for the family name first in the first language of some tags, separated by spaces; the pages
    /// need not exist in it.
    public static func putsFamilyNameFirst(_ tags: String) -> Bool {
        let primary = tags.utf8.prefix { ![" ", "-", "_", ",", ";"].contains(Unicode.Scalar($0)) }
        return familyNameFirst.contains(String(decoding: primary, as: UTF8.self).lowercased())
    }

    /// Maximum number of octets read, more than any browser sends; the rest is ignored.
    private static let byteLimit = 1000
    private static let tagLimit = 32

    /// Selects a supported language for a client; malformed input is ignored, and the fallback is the first language,
    /// by default English.
    ///
    /// - Parameters:
    ///   - uiLocales: language tags requested by the app in order of preference, separated by spaces (OpenID Connect
    ///     Core 3.1.2.1); takes precedence over `acceptLanguage`.
    ///   - acceptLanguage: the browser's `Accept-Language` field (RFC 9110 section 12.5.4).
    ///   - languages: the available languages; `*` selects the first one that does not have weight 0.
    public static func negotiate(uiLocales: String?, acceptLanguage: String?, among languages: [Language] = allCases)
        -> Language
    {
        let fallback = languages.first ?? .english
        let asked = tags(uiLocales ?? "", separator: UInt8(ascii: " ")).lazy.compactMap { Language(tag: $0) }
        if let language = asked.first(where: languages.contains) { return language }
        let ranges = tags(acceptLanguage ?? "", separator: UInt8(ascii: ",")).compactMap(WeightedRange.init)
        let refused = Set(ranges.filter { $0.weight == 0 }.compactMap(\.language))
        // `sorted` is not guaranteed to be stable, and among equal weights the first range takes precedence.
        let byWeight = ranges.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
        for (_, range) in byWeight where range.weight > 0 {
            if range.isAny { return languages.first { !refused.contains($0) } ?? fallback }
            if let language = range.language, languages.contains(language), !refused.contains(language) {
                return language
            }
        }
        return fallback
    }

    /// The language of a tag, regardless of region, script, and variant (RFC 4647 section 3.4 ends there too).
    ///
    /// Traditional Chinese maps to simplified Chinese, which is closer to it than English. `in` was the code of
    /// Indonesian before 1989, and some systems still send it.
    public init?(tag: some StringProtocol) {
        let primary = tag.utf8.prefix { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
        switch String(decoding: primary, as: UTF8.self).lowercased() {
        case "en": self = .english
        case "de": self = .german
        case "ru": self = .russian
        case "zh", "cmn": self = .chinese
        case "id", "in": self = .indonesian
        default: return nil
        }
    }

    private static func tags(_ text: String, separator: UInt8) -> [Substring] {
        Substring(text.utf8.prefix(byteLimit)).utf8.split(separator: separator).prefix(tagLimit).map { Substring($0) }
    }
}

/// One element of an `Accept-Language` field.
private struct WeightedRange {
    /// Nil for an unsupported language and for `*`.
    let language: Language?
    let isAny: Bool
    /// Weight in thousandths; 0 means not acceptable.
    let weight: Int

    init?(_ text: Substring) {
        let parts = text.utf8.split(separator: UInt8(ascii: ";")).map { Self.trimmed(Substring($0)) }
        guard let tag = parts.first, !tag.isEmpty, parts.count <= 2 else { return nil }
        guard let weight = parts.count == 1 ? 1000 : Self.weight(parts[1]) else { return nil }
        isAny = tag == "*"
        language = Language(tag: tag)
        self.weight = weight
    }

    /// Parses `q=` and a number from 0 to 1 with at most three decimals (RFC 9110 section 12.4.2).
    private static func weight(_ text: Substring) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 3, bytes.count <= 7, bytes[0] | 0x20 == UInt8(ascii: "q"), bytes[1] == UInt8(ascii: "="),
            bytes[2] == UInt8(ascii: "0") || bytes[2] == UInt8(ascii: "1")
        else { return nil }
        let decimals = bytes.dropFirst(4)
        guard bytes.count == 3 || bytes[3] == UInt8(ascii: "."), decimals.allSatisfy(\.isASCIIDigit) else { return nil }
        var weight = Int(bytes[2] - UInt8(ascii: "0"))
        for index in 0..<3 {
            let digit = decimals.count > index ? decimals[decimals.startIndex + index] : UInt8(ascii: "0")
            weight = weight * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return weight <= 1000 ? weight : nil
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let start = text.utf8.drop(while: isBlank)
        let count = start.reversed().drop(while: isBlank).count
        return Substring(start.prefix(count))
    }
}
