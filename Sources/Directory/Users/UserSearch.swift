import Core
import Platform

/// Search term for a list of users: the beginning of an email address, a full name or a family name in any case, or a
/// whole `sub` or address.
public struct UserSearch: Sendable {
    static let maximumLength = 255

    /// Term as entered, without characters that cannot be part of the searched columns.
    public let text: String

    /// Creates a search term; nil if nothing is left to search for.
    public init?(_ typed: String) {
        let scalars = typed.unicodeScalars.filter { $0.properties.generalCategory != .control }
        let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        let trimmed = scalars.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        guard !trimmed.isEmpty else { return nil }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: trimmed.prefix(Self.maximumLength))
        let term = String(text)
        self.text = EmailAddress(typed: term)?.rawValue ?? term
    }

    /// Names that are shown as this text, or begin so, in Han, kana or Hangul: their family names have one or two
    /// characters nearly always.
    var names: [PersonName] {
        let scalars = Array(text.unicodeScalars.prefix(PersonName.maximumLength))
        return (1...2).map { count in
            let (family, given) = (scalars.prefix(count), scalars.dropFirst(count))
            return PersonName(stored: String(String.UnicodeScalarView(given)), String(String.UnicodeScalarView(family)))
        }.filter { !$0.given.isEmpty && $0.full.isExactly(text) }
    }
}
