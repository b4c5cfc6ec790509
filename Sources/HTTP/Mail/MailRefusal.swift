/// A mail server's rejection of a message: its codes only, because its text may contain personal data.
public struct MailRefusal: Hashable, Sendable, CustomStringConvertible {
    /// The reply code, 400 to 599 (RFC 5321 section 4.2.1).
    public let code: Int
    /// The enhanced status code, such as `5.1.1`, where the server gave one (RFC 3463).
    public let detail: String?

    /// Whether the same message will be rejected again.
    ///
    /// Codes 530 to 539 concern Pippin's credentials, not the message (RFC 4954 section 6).
    public var isFinal: Bool { code >= 500 && !(530...539).contains(code) }

    public var description: String { detail.map { "\(code) \($0)" } ?? String(code) }

    /// Parses the last line of a reply; nil when the code is not 400 to 599.
    init?(code: Int, line: String) {
        guard (400...599).contains(code) else { return nil }
        self.code = code
        let word = line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        let isDetail = parts.count == 3 && parts.allSatisfy { (1...3).contains($0.utf8.count) && Int($0) != nil }
        detail = isDetail ? word : nil
    }
}
