import Bytes
import Log

/// A name and a value that a step of a flow keeps, made harmless beforehand.
public struct FlowFact: Codable, Hashable, Sendable {
    public let name: String
    public let value: String

    /// How many it takes to keep it, with the marks around it.
    var octets: Int { JSONWriter.octets(of: name) + JSONWriter.octets(of: value) + 6 }

    /// What was stored, which was made harmless before it was, by what was known then.
    init(stored name: String, _ value: String) {
        self.name = name
        self.value = SecretKind.isFound(in: value) ? Redaction.withheld : value
    }

    /// A text as it came, without control characters and cut to so many octets.
    ///
    /// Only for what is no secret: identifiers, addresses without their queries, words of the protocol.
    init(_ name: String, _ text: String, limit: Int = 300) {
        self.name = name
        value = Redaction.text(text, limit: limit)
    }

    /// A word of the protocol that somebody else sent: of what has not the shape of one, its length.
    init(_ name: String, code text: String) {
        self.name = name
        value = Redaction.code(text)
    }

    /// The presence of a value that is nobody's business, as its length.
    init(_ name: String, lengthOf text: String) {
        self.name = name
        value = Redaction.length(of: text)
    }

    /// An address, with the values in its query taken out.
    init(_ name: String, url: String) {
        self.name = name
        value = Redaction.url(url)
    }
}

/// What is taken out of a text before it is kept for the team to read.
enum Redaction {
    /// In place of what is not told at all.
    static let withheld = "(withheld)"

    /// One line of at most `limit` octets and a mark that there was more; nothing of a text that looks like a token or a key.
    static func text(_ text: String, limit: Int) -> String {
        // No more is kept, and the longest secret that begins there is known by less than what is left of it.
        let text = text.cut(toOctets: 4 * limit + 256)
        guard !SecretKind.isFound(in: text) else { return withheld }
        if text.utf8.count <= limit, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var kept = String.UnicodeScalarView()
        var room = limit
        for scalar in text.unicodeScalars where isShown(scalar) {
            room -= UTF8.width(scalar)
            guard room >= 0 else { return String(kept) + "…" }
            kept.append(scalar)
        }
        return String(kept)
    }

    /// Controls, breaks of lines and what turns the direction of writing make a text look like another.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// A code of an error as RFC 6749 and Apple spell them, at most 40 letters; of anything else the length.
    static func code(_ text: String) -> String {
        let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_") }
        return (1...40).contains(text.utf8.count) && text.utf8.allSatisfy(isLetter) ? text : length(of: text)
    }

    static func length(of text: String) -> String {
        text.utf8.count == 1 ? "(1 octet)" : "(\(text.utf8.count) octets)"
    }

    /// Scheme, host, path and the names in the query: a value there may be a code or a session, and what stands before a
    /// host or behind a semicolon a password or a session.
    static func url(_ url: String) -> String {
        let address = url.withoutSecrets
        // The names of no more are kept; the password before a host may be as long as the whole.
        let url = url.cut(toOctets: 4096)
        guard let mark = url.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") })
        else { return text(address, limit: 500) }
        let names = url[url.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
            .map { pair in pair.contains("=") ? "\(pair.prefix { $0 != "=" })=…" : "…" }
        return text("\(address)\(url[mark])\(names.joined(separator: "&"))", limit: 500)
    }
}

extension String {
    /// A URL as the log may have it: scheme, host and path, without the name and the password before the host, the
    /// parameters of the path, the query and the fragment (RFC 3986 section 3).
    var withoutSecrets: String {
        let octets = Array(utf8)
        let end = octets.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? octets.count
        var kept = octets[..<end]
        if let slashes = kept.firstRange(of: Array("//".utf8)) {
            let ends: Set = [UInt8(ascii: "/"), UInt8(ascii: "\\")]
            let host = kept[slashes.upperBound...].prefix { !ends.contains($0) }
            if let mark = host.lastIndex(of: UInt8(ascii: "@")) {
                kept.replaceSubrange(host.startIndex..<mark, with: Array("…".utf8))
            }
        }
        if let mark = kept.firstIndex(of: UInt8(ascii: ";")) { kept = kept[..<mark] + Array(";…".utf8) }
        return String(decoding: kept, as: UTF8.self)
    }
}
