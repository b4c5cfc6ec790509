import Core

/// Syntax check of a DKIM key record (RFC 6376 section 3.6.1).
enum DKIMRecord {
    /// A syntax error of the record.
    enum Fault: Error, Hashable {
        /// A tag that is not `name=value`, or that occurs twice.
        case tag(String)
        /// A version other than DKIM1, or one that is not the first tag.
        case version
        /// A key type other than rsa and ed25519.
        case keyType(String)
        /// No `p` tag, or one that is not Base64 of a key.
        case key
        /// An empty `p` tag: the key was revoked.
        case revoked
    }

    static func check(_ text: String) throws(Fault) {
        var tags: [String: String] = [:]
        for (index, part) in text.split(separator: ";").enumerated() {
            let trimmed = part.trimmingBlanks
            if trimmed.isEmpty { continue }
            guard let sign = trimmed.firstIndex(of: "=") else { throw .tag(String(trimmed)) }
            let name = String(trimmed[..<sign].trimmingBlanks)
            let value = String(trimmed[sign...].dropFirst().trimmingBlanks)
            guard !name.isEmpty, tags.updateValue(value, forKey: name) == nil else { throw .tag(String(trimmed)) }
            if name == "v", index > 0 || value != "DKIM1" { throw .version }
        }
        guard ["rsa", "ed25519"].contains(tags["k"] ?? "rsa") else { throw .keyType(tags["k"] ?? "") }
        guard let key = tags["p"] else { throw .key }
        let text = key.utf8.filter { ![0x09, 0x0A, 0x0D, 0x20].contains($0) }
        guard !text.isEmpty else { throw .revoked }
        guard let octets = Base64.decode(text[...]), octets.count >= 32 else { throw .key }
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return start.prefix(0) }
        return start[...last]
    }
}
