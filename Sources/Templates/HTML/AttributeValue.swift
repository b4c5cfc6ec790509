/// How far an attribute's value has come, where that matters.
enum AttributeValue: Equatable, Sendable {
    case plain
    case url(URLPosition)
    /// In a refresh, before the URL: how many bytes of `url=` were just read.
    case delay(Int)
    /// In a refresh, after `url=`.
    case refreshURL(URLPosition)
    /// What `http-equiv` says so far.
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
        case .plain:
            return
        case .url(var position):
            position.advance(byte)
            self = .url(position)
        case .delay(let matched):
            self = Self.delay(after: byte, matched)
        case .refreshURL(var position):
            // The URL may be quoted (HTML Standard 4.2.5.3, shared declarative refresh steps).
            let isQuote = byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"")
            if position != .start || !isQuote { position.advance(byte) }
            self = .refreshURL(position)
        case .httpEquiv(let text):
            // Compared with one word, so more than its length need not be kept.
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

    /// The value after a branch that ended here or there; nil if no one state describes both.
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
