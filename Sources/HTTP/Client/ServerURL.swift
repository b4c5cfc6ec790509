internal import Core

/// The URL of a server that the operator names: a scheme, `[user:password@]`, and `host[:port]`.
struct ServerURL {
    /// The URL without user and password.
    let address: String
    let user: String?
    let password: String?
    private let place: Substring

    /// Parses the URL; nil when it does not have this form, or none of the schemes, such as `http://`.
    init?(_ url: String, schemes: [String]) {
        let scheme = schemes.first { url.hasPrefix($0) }
        guard let scheme, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let authority = url.dropFirst(scheme.count).split(separator: "/", omittingEmptySubsequences: false)
        guard let first = authority.first, authority.dropFirst().allSatisfy(\.isEmpty) else { return nil }
        let parts = first.split(separator: "@", omittingEmptySubsequences: false)
        guard let place = parts.last, parts.count <= 2, Self.isPlace(place) else { return nil }
        address = scheme + place
        let credentials = parts.count == 2 ? Self.credentials(parts[0]) : .some(nil)
        guard let credentials else { return nil }
        (user, password) = (credentials?.user, credentials?.password)
        self.place = place
    }

    var hasPort: Bool { Self.split(place).port != nil }

    /// Parses `user:password`, each percent-encoded; the outer nil is malformed, the inner nil is no credentials.
    private static func credentials(_ text: Substring) -> (user: String, password: String)?? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let user = decoded(parts[0]), let password = decoded(parts[1]) else {
            return nil
        }
        return .some((user, password))
    }

    /// Decodes percent escapes; nil when they are malformed, not UTF-8, or contain a control character, which no
    /// command allows.
    private static func decoded(_ text: Substring) -> String? {
        guard let bytes = PercentCoding.decode(text.utf8), !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            return nil
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Whether the text is a host name, an IPv4 address or an IPv6 address in brackets, with an optional port.
    private static func isPlace(_ text: Substring) -> Bool {
        let (host, port) = split(text)
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard !host.isEmpty, isBracketed || !host.contains(where: { "[]:".contains($0) }),
            host.utf8.allSatisfy({ isHostCharacter($0) })
        else { return false }
        return port.map { (UInt16($0) ?? 0) > 0 } ?? true
    }

    private static func split(_ text: Substring) -> (host: Substring, port: Substring?) {
        let hostEnd = text.hasPrefix("[") ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":")
        guard let hostEnd, hostEnd < text.endIndex else { return (text, nil) }
        let rest = text[hostEnd...]
        return (text[..<hostEnd], rest.hasPrefix(":") ? rest.dropFirst() : rest)
    }

    private static func isHostCharacter(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._[]:".utf8.contains(character)
        }
    }
}
