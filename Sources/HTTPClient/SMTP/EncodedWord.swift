internal import Bytes

/// Words of any language in a field of a message (RFC 2047).
enum EncodedWord {
    /// Octets of text in one word: 75 characters less `=?utf-8?B?` and `?=`, in whole groups of base64.
    private static let limit = 45
    /// Recommended length of a line (RFC 5322 section 2.1.1).
    private static let lineLimit = 76

    /// A field's text, such as a subject: as it is where it is plain and short, else encoded.
    static func text(_ text: String, after used: Int) -> String {
        isPlain(text) && used + text.utf8.count <= lineLimit ? text : encode(text)
    }

    /// A name before an address: quoted where it is plain, else encoded.
    static func phrase(_ text: String, after used: Int) -> String {
        let isQuotable = isPlain(text) && !text.utf8.contains { "\"\\".utf8.contains($0) }
        return isQuotable && used + text.utf8.count + 2 <= lineLimit ? "\"\(text)\"" : encode(text)
    }

    /// Printable ASCII that no reader would take for an encoded word.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?") && !text.hasPrefix(" ")
            && !text.hasSuffix(" ")
    }

    /// Several words where one would be too long, each of whole characters (section 5 forbids to cut them).
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
