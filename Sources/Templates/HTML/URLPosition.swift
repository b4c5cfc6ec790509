/// How far a URL has come, as far as its literal text tells.
enum URLPosition: Equatable, Sendable {
    /// Nothing yet, or blanks that a browser ignores: a value here chooses the scheme.
    case start
    /// Text that becomes a scheme if a colon follows.
    case scheme([UInt8])
    /// A value stood where a scheme could: a literal colon now would complete one nobody checked.
    case afterValue
    /// Past the point where a scheme can begin.
    case inside
    /// Inside a URL that runs as script or is a document of its own.
    case script
    /// It depends on a branch, or on a character reference, where this is.
    case unclear

    /// Schemes that make the rest of the URL a script or a document of our own origin.
    static let scriptSchemes: Set<String> = ["javascript", "vbscript", "data"]

    /// Longer than every scheme that matters.
    private static let longestScheme = 32

    mutating func advance(_ byte: UInt8) {
        switch self {
        case .inside, .script, .unclear:
            return
        case .start:
            if byte > 0x20 { take(byte, after: []) }
        case .scheme(let name):
            take(byte, after: name)
        case .afterValue:
            if Self.endsScheme(byte) { self = .inside }
            if byte == UInt8(ascii: ":") { self = .unclear }
        }
    }

    /// A value was written here.
    mutating func passValue() {
        switch self {
        case .start, .scheme: self = .afterValue
        case .afterValue, .inside, .script, .unclear: break
        }
    }

    /// The position after a branch that ended here or there.
    func joined(with other: Self) -> Self {
        if self == other { return self }
        return isUndecided && other.isUndecided ? .afterValue : .unclear
    }

    /// Whether values count as components and only a colon would be dangerous.
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
        case UInt8(ascii: "&"):
            self = .unclear
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
