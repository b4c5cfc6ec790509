/// Position inside a URL, as far as its literal text determines it.
enum URLPosition: Equatable, Sendable {
    /// At the start, or after blanks that browsers ignore: a value here chooses the scheme.
    case start
    /// In text that becomes a scheme if a colon follows.
    case scheme([UInt8])
    /// After a value where a scheme could be: a literal colon now would complete an unchecked scheme.
    case afterValue
    /// Past the point where a scheme can begin.
    case inside
    /// Inside a URL that runs as script or is a document itself.
    case script
    /// Unknown, because it depends on a branch or on a character reference.
    case unclear

    /// Schemes that make the rest of the URL a script or a document of the page's own origin.
    static let scriptSchemes: Set<String> = ["javascript", "vbscript", "data"]

    /// Length limit of a scheme, longer than every relevant one.
    private static let longestScheme = 32

    mutating func advance(_ byte: UInt8) {
        switch self {
        case .inside, .script, .unclear: return
        case .start: if byte > 0x20 { take(byte, after: []) }
        case .scheme(let name): take(byte, after: name)
        case .afterValue:
            if Self.endsScheme(byte) { self = .inside }
            if byte == UInt8(ascii: ":") { self = .unclear }
        }
    }

    /// Records that a value is written at this position.
    mutating func passValue() {
        switch self {
        case .start, .scheme: self = .afterValue
        case .afterValue, .inside, .script, .unclear: break
        }
    }

    /// Returns the position that covers two branches.
    func joined(with other: Self) -> Self {
        if self == other { return self }
        return isUndecided && other.isUndecided ? .afterValue : .unclear
    }

    /// Whether values are escaped as components and only a colon would be dangerous.
    private var isUndecided: Bool {
        switch self {
        case .scheme, .afterValue, .inside: true
        case .start, .script, .unclear: false
        }
    }

    private mutating func take(_ byte: UInt8, after name: [UInt8]) {
        switch byte {
        case UInt8(ascii: ":"):
            self = Self.scriptSchemes.contains(String(decoding: name, as: UTF8.self)) ? .script : .inside
        case UInt8(ascii: "&"): self = .unclear
        case 0x09, 0x0A, 0x0D:
            // Browsers drop these anywhere in a URL, so `java\nscript:` is `javascript:`.
            self = .scheme(name)
        default:
            let isDecided = Self.endsScheme(byte) || name.count >= Self.longestScheme
            self = isDecided ? .inside : .scheme(name + [byte.lowercased])
        }
    }

    private static func endsScheme(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
}
