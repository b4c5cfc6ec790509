internal import Core

/// Encoded words: text in any language in a field of a message (RFC 2047).
enum EncodedWord {
    /// Octets of text in one encoded word: 75 characters less `=?utf-8?B?` and `?=`, in whole groups of base64.
    private static let limit = 45
    /// Length of a line, within the recommended 78 characters (RFC 5322 section 2.1.1).
    private static let lineLimit = 76

    /// The text of a field such as a subject: unchanged when it is plain and short, otherwise encoded.
    static func text(_ text: String, after used: Int) -> String {
        isPlain(text) && used + text.utf8.count <= lineLimit ? text : encode(text)
    }

    /// A display name before an address: quoted when it is plain, otherwise encoded.
    static func phrase(_ text: String, after used: Int) -> String {
        let isQuotable = isPlain(text) && !text.utf8.contains { "\"\\".utf8.contains($0) }
        return isQuotable && used + text.utf8.count + 2 <= lineLimit ? "\"\(text)\"" : encode(text)
    }

    /// Whether the text is printable ASCII that no mail reader takes for an encoded word.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?") && !text.hasPrefix(" ")
            && !text.hasSuffix(" ")
    }

    /// Encodes text in several words when one is too long, each of whole characters (RFC 2047 section 5).
    private static func encode(_ text: String) -> String {
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let octets = Array(String(scalar).utf8)
            if words[words.count - 1].count + octets.count > limit { words.append([]) }
            words[words.count - 1] += octets
        }
        return words.map { "=?utf-8?B?\(Base64.encode($0))?=" }.joined(separator: "\r\n ")
    }
}
