/// Something a page says, in no language yet.
public indirect enum Words: Hashable, Sendable, Codable {
    /// A text of the catalogue.
    case phrase(Phrase)
    /// What is no word of ours: a name, an identifier, what somebody typed.
    case verbatim(String)
    /// Written with the language's group separators.
    case number(Int)
    /// Written in UTC; on a page its reader sees it in their zone.
    case moment(Timestamp)
    /// The day, in UTC, of a moment.
    case day(Timestamp)
    /// Joined as the language joins a list.
    case list([Words])
}

/// What can stand where a page says something.
public protocol Wording: Sendable {
    var asWords: Words { get }
}

extension Words: Wording {
    public var asWords: Words { self }
}

extension Phrase: Wording {
    public var asWords: Words { .phrase(self) }
}

extension String: Wording {
    public var asWords: Words { .verbatim(self) }
}

extension Int: Wording {
    public var asWords: Bytes.Words { .number(self) }
}

extension Timestamp: Wording {
    public var asWords: Words { .moment(self) }
}

extension Array: Wording where Element: Wording {
    public var asWords: Words { .list(map(\.asWords)) }
}
