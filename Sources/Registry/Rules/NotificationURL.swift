/// Where an App ID is told of what happens to its people.
public struct NotificationURL: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// - Throws: `Refusal` with the first rule that the text breaks; they are those of return URLs without domains.
    public init(parsing text: String, policy: AddressPolicy) throws(Refusal) {
        self.text = try WebAddress(parsing: text, policy: policy).text
    }

    /// A URL that was parsed when it was stored.
    public init(stored text: String) {
        self.text = text
    }

    /// Host and port as they stand there, in lower case.
    public var authority: String {
        let rest = text.utf8.split(
            separator: UInt8(ascii: "/"),
            maxSplits: 3,
            omittingEmptySubsequences: false
        )
        guard rest.count > 2 else { return text.lowercased() }
        return String(decoding: rest[2].prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self).lowercased()
    }

    /// The host name that stands there, in lower case; nil for a server of this machine, which nobody can have a domain for.
    public var hostName: String? {
        guard text.utf8.starts(with: "https://".utf8) else { return nil }
        return String(decoding: authority.utf8.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
    }

    public var description: String { text }
}
