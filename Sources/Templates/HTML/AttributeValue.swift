/// State of the tokenizer inside an attribute value, as far as escaping depends on it.
enum AttributeValue: Equatable, Sendable {
    case plain
    case url(URLPosition)
    /// Inside the content of a refresh before the URL; the payload is the number of bytes of `url=` just read.
    case delay(Int)
    /// Inside the content of a refresh, after `url=`.
    case refreshURL(URLPosition)
    /// Inside `http-equiv`; the payload is the value so far.
    case httpEquiv([UInt8])

    init(_ kind: AttributeKind) {
        switch kind {
        case .plain, .refused, .metaContent: self = .plain
        case .url, .loadingURL: self = .url(.start)
        case .refresh: self = .delay(0)
        case .httpEquiv: self = .httpEquiv([])
        }
    }

    mutating func advance(_ byte: UInt8) {
        switch self {
        case .plain: return
        case .url(var position):
            position.advance(byte)
            self = .url(position)
        case .delay(let matched): self = Self.delay(after: byte, matched)
        case .refreshURL(var position):
            // The URL may be quoted (HTML Standard 4.2.5.3, shared declarative refresh steps).
            let isQuote = byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"")
            if position != .start || !isQuote { position.advance(byte) }
            self = .refreshURL(position)
        case .httpEquiv(let text):
            // Compared only with `refresh`, so further bytes do not matter.
            self = .httpEquiv(text.count < 16 ? text + [byte.lowercased] : text)
        }
    }

    mutating func passValue() {
        switch self {
        case .plain, .httpEquiv: return
        case .delay: self = .delay(0)
        case .url(var position):
            position.passValue()
            self = .url(position)
        case .refreshURL(var position):
            position.passValue()
            self = .refreshURL(position)
        }
    }

    /// Returns the state that covers two branches, or nil if there is none.
    func joined(with other: Self) -> Self? {
        switch (self, other) {
        case (.url(let one), .url(let two)): .url(one.joined(with: two))
        case (.refreshURL(let one), .refreshURL(let two)): .refreshURL(one.joined(with: two))
        default: self == other ? self : nil
        }
    }

    private static func delay(after byte: UInt8, _ matched: Int) -> Self {
        let word = Array("url=".utf8)
        if byte.lowercased == word[matched] {
            return matched == word.count - 1 ? .refreshURL(.start) : .delay(matched + 1)
        }
        if matched == word.count - 1, byte.isSpace { return .delay(matched) }
        return .delay(byte.lowercased == word[0] ? 1 : 0)
    }
}
