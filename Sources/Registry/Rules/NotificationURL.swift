/// Where an App ID is told of what happens to its people.
public struct NotificationURL: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// - Throws: `Refusal` with the first rule that the text breaks; they are those of return URLs without domains.
    public init(parsing text: String, policy: AddressPolicy) throws(Refusal) {
        self.text = try WebAddress(parsing: text, policy: policy).text
    }

    /// A URL that was parsed when it was stored.
    init(stored text: String) {
        self.text = text
    }

    public var description: String { text }
}
