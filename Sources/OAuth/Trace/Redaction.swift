import Core

/// Removal of secrets from a text before it is stored for the team.
public enum Redaction {
    /// The replacement for a text that contains a secret.
    public static let withheld = "(withheld)"

    /// One line of at most `limit` octets, marked when it was cut; a text that looks like a token or a key is withheld.
    ///
    /// What nobody would see is written as an escape: a control character, a mark, a blank at an end or of an unusual kind.
    /// Two texts that differ look different, and no text can disguise itself.
    public static func text(_ text: String, limit: Int) -> String {
        // A prefix suffices: no more is stored, and the longest secret that begins there is recognized by the rest.
        let text = text.cut(toOctets: 4 * limit + 256)
        guard !SecretKind.isFound(in: text) else { return withheld }
        let isPlain =
            text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && text.utf8.first != 0x20 && text.utf8.last != 0x20
        if isPlain, text.utf8.count <= limit { return text }
        let seen = text.trimmedWhiteSpace.unicodeScalars.count
        let start = text.unicodeScalars.prefix { $0.properties.isWhitespace }.count
        var kept = ""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            let isAtEnd = index < start || index >= start + seen
            let shown = isAtEnd || !isShown(scalar) ? escape(scalar) : String(scalar)
            guard kept.utf8.count + shown.utf8.count <= limit else { return kept + "…" }
            kept += shown
        }
        return kept
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        case .spaceSeparator: scalar == " "
        default: !scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }

    /// The character at an end of a kept text that was written as an escape, because nobody would see it; nil if there is
    /// none.
    public static func unseenEnd(of kept: String) -> Unicode.Scalar? {
        let parts = kept.split(separator: "\\", omittingEmptySubsequences: false).dropFirst()
        return parts.last.flatMap { scalar(ofEscape: $0) }
            ?? (kept.hasPrefix("\\")
                ? parts.first.flatMap { scalar(ofEscape: $0.hasPrefix("u{") ? $0.prefix { $0 != "}" } : $0.prefix(1)) }
                : nil)
    }

    private static func scalar(ofEscape text: Substring) -> Unicode.Scalar? {
        switch text {
        case "n": "\n"
        case "r": "\r"
        case "t": "\t"
        default:
            text.hasPrefix("u{")
                ? UInt32(text.dropFirst(2).prefix { $0 != "}" }, radix: 16).flatMap(Unicode.Scalar.init) : nil
        }
    }

    /// An error code in the form of RFC 6749 and Apple, at most 40 letters; of any other text only the length.
    public static func code(_ text: String) -> String {
        let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_") }
        return (1...40).contains(text.utf8.count) && text.utf8.allSatisfy(isLetter) ? text : length(of: text)
    }

    public static func length(of text: String) -> String {
        text.utf8.count == 1 ? "(1 octet)" : "(\(text.utf8.count) octets)"
    }

    /// Scheme, host, path and the names in the query; values there, text before the host or behind a semicolon are
    /// removed, because they may be codes, sessions or passwords.
    public static func url(_ url: String) -> String {
        let address = url.withoutSecrets
        // Query names are read from a prefix only; `address` needs the whole URL, because a password may be long.
        let url = url.cut(toOctets: 4096)
        guard let mark = url.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            return text(address, limit: 500)
        }
        let names = url[url.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false).map { pair in
            pair.contains("=") ? "\(pair.prefix { $0 != "=" })=…" : "…"
        }
        return text("\(address)\(url[mark])\(names.joined(separator: "&"))", limit: 500)
    }
}

extension String {
    /// A URL for logs: scheme, host and path, without user name and password, path parameters, query and fragment
    /// (RFC 3986 section 3).
    var withoutSecrets: String {
        let octets = Array(utf8)
        let end = octets.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? octets.count
        var kept = octets[..<end]
        let slash = UInt8(ascii: "/")
        if let first = kept.indices.dropLast().first(where: { kept[$0] == slash && kept[$0 + 1] == slash }) {
            let host = kept[(first + 2)...].prefix { $0 != slash && $0 != UInt8(ascii: "\\") }
            if let mark = host.lastIndex(of: UInt8(ascii: "@")) {
                kept.replaceSubrange(host.startIndex..<mark, with: Array("…".utf8))
            }
        }
        if let mark = kept.firstIndex(of: UInt8(ascii: ";")) { kept = kept[..<mark] + Array(";…".utf8) }
        return String(decoding: kept, as: UTF8.self)
    }
}
