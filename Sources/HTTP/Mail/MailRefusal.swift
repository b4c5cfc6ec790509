/// A mail server's rejection of a message or of a connection.
public struct MailRefusal: Hashable, Sendable, CustomStringConvertible {
    /// The reply code, 400 to 599 (RFC 5321 section 4.2.1).
    public let code: Int
    /// The enhanced status code, such as `5.1.1`, where the server gave one (RFC 3463).
    public let detail: String?
    /// The server's text, where it was asked for: it may contain the recipient's address.
    public let text: String?

    /// Whether it answers the recipient or the message, and not the sender or the connection.
    private let isOfRecipient: Bool

    /// What RFC 3463 and RFC 7505 have for a recipient's address that does not exist or never takes mail.
    private static let noSuchRecipient: Set = ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10"]

    /// Whether the same message will be rejected again: its recipient does not exist.
    ///
    /// Any other refusal concerns the installation (sender, relaying, password, reputation) or passes with time, and a
    /// code without detail says of neither.
    public var isFinal: Bool { isOfRecipient && code >= 500 && detail.map(Self.noSuchRecipient.contains) == true }

    public var description: String { detail.map { "\(code) \($0)" } ?? String(code) }

    /// Parses a line of a reply; nil when the code is not 400 to 599.
    ///
    /// - Parameters:
    ///   - known: what the lines before it of the same reply said.
    ///   - isOfRecipient: whether the recipient has been named.
    ///   - keepsText: whether the text may be kept.
    init?(code: Int, line: String, after known: MailRefusal? = nil, isOfRecipient: Bool, keepsText: Bool = false) {
        guard (400...599).contains(code) else { return nil }
        (self.code, self.isOfRecipient) = (code, isOfRecipient)
        let text = String(decoding: line.utf8.dropFirst(4).filter { $0 >= 0x20 }, as: UTF8.self)
        let word = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)[0]
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        let isDetail = parts.count == 3 && parts.allSatisfy { (1...3).contains($0.utf8.count) && Int($0) != nil }
        detail = isDetail ? String(word) : known?.detail
        self.text = keepsText ? known?.text.map { "\($0) \(text)" } ?? text : nil
    }
}
