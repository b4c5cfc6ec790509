/// What to look for in a list of users: the beginning of an e-mail address, of a full name or of a family name in
/// any case, or a whole `sub`.
public struct UserSearch: Sendable {
    static let maximumLength = 255

    /// As typed, less what cannot be part of what is searched.
    public let text: String

    /// Nil when nothing is left to look for.
    public init?(_ typed: String) {
        let scalars = typed.unicodeScalars.filter { $0.properties.generalCategory != .control }
        let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        let trimmed = scalars.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        guard !trimmed.isEmpty else { return nil }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: trimmed.prefix(Self.maximumLength))
        self.text = String(text)
    }
}
