/// A user-facing text that is not yet rendered in a language.
public enum LocalizedText: Hashable, Sendable, Codable {
    /// A message of the catalogue.
    case message(Message)
    /// A name, an identifier, or user input, which is identical in every language.
    case verbatim(String)
    /// A number, written with the language's group separators.
    case number(Int)
    /// A time, written in UTC; a page shows it in the reader's time zone.
    case moment(Timestamp)
    /// The day of a time in UTC.
    case day(Timestamp)
    /// A list, joined by the rules of the language.
    case list([LocalizedText])
}

/// A value that can be used where a user-facing text is expected.
public protocol LocalizedTextConvertible: Sendable { var localizedText: LocalizedText { get } }

extension LocalizedText: LocalizedTextConvertible { public var localizedText: LocalizedText { self } }

extension Message: LocalizedTextConvertible { public var localizedText: LocalizedText { .message(self) } }

extension String: LocalizedTextConvertible { public var localizedText: LocalizedText { .verbatim(self) } }

extension Int: LocalizedTextConvertible { public var localizedText: LocalizedText { .number(self) } }

extension Timestamp: LocalizedTextConvertible { public var localizedText: LocalizedText { .moment(self) } }

extension Array: LocalizedTextConvertible where Element: LocalizedTextConvertible {
    public var localizedText: LocalizedText { .list(map(\.localizedText)) }
}
