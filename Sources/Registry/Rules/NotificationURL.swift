/// The URL that receives the notifications of an App ID about its users.
public struct NotificationURL: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// - Throws: `ValidationError` with the first rule that the text breaks: the rules of return URLs, without domains.
    public init(parsing text: String, policy: HostPolicy) throws(ValidationError) {
        self.text = try WebAddress(parsing: text, policy: policy).text
    }

    /// A stored URL, which was parsed before.
    public init(stored text: String) { self.text = text }

    /// Host and port as written, in lower case.
    public var authority: String {
        let rest = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        guard rest.count > 2 else { return text.lowercased() }
        return String(decoding: rest[2].prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self).lowercased()
    }

    /// Host name in lower case; nil for a loopback address, which is never a verified domain.
    public var hostName: String? {
        guard text.utf8.starts(with: "https://".utf8) else { return nil }
        return String(decoding: authority.utf8.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
    }

    public var description: String { text }
}
