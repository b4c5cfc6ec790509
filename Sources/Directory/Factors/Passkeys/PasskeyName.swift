/// What a person calls a passkey: one line.
public struct PasskeyName: Hashable, Sendable {
    /// In Unicode scalars.
    public static let maximumLength = 60

    public let text: String

    /// The name less white space around it; nil when it is empty, too long, or no line of text.
    public init?(_ text: String) {
        guard let name = PersonName(given: text, family: "")?.given, !name.isEmpty,
            name.unicodeScalars.count <= Self.maximumLength
        else { return nil }
        self.text = name
    }
}
