internal import Core

/// The URL of a server that the operator names: a scheme, `[user:password@]` as `URLCredentials` reads it, and
/// `host[:port]`.
struct ServerURL {
    /// The URL without user and password.
    let address: String
    let user: String?
    let password: String?
    private let place: Substring

    /// Parses the URL; nil when it does not have this form, or none of the schemes, such as `http://`.
    init?(_ url: String, schemes: [String]) {
        guard let scheme = schemes.first(where: { url.hasPrefix($0) }) else { return nil }
        let (userInfo, rest) = URLCredentials.split(url.dropFirst(scheme.count))
        let credentials = userInfo.map(URLCredentials.init)
        if case .some(nil) = credentials { return nil }
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        guard let place = parts.first, parts.dropFirst().allSatisfy(\.isEmpty), Self.isPlace(place) else { return nil }
        address = scheme + place
        (user, password) = (credentials??.user, credentials??.password)
        self.place = place
    }

    var hasPort: Bool { Self.split(place).port != nil }

    /// Whether the text is a host name, an IPv4 address or an IPv6 address in brackets, with an optional port.
    private static func isPlace(_ text: Substring) -> Bool {
        let (host, port) = split(text)
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard !host.isEmpty, isBracketed || !host.contains(where: { "[]:".contains($0) }),
            host.utf8.allSatisfy({ isHostCharacter($0) })
        else { return false }
        return port.map { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } && (UInt16($0) ?? 0) > 0 } ?? true
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
