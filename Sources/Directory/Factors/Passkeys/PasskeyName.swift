/// Name that a user gives a passkey: one line.
public struct PasskeyName: Hashable, Sendable {
    /// Most Unicode scalars.
    public static let maximumLength = 60

    public let text: String

    /// Creates a name without surrounding white space; nil if it is empty, too long, or not a line of text.
    public init?(_ text: String) {
        guard let name = PersonName(given: text, family: "")?.given, !name.isEmpty,
            name.unicodeScalars.count <= Self.maximumLength
        else { return nil }
        self.text = name
    }
}
