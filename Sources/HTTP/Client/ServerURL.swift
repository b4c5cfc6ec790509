internal import CCurl
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

/// A proxy that opens the connections of requests: `http://[user:password@]host:port` (RFC 9110 section 9.3.6, CONNECT).
///
/// It, not this machine, resolves the names of servers. So the address policy can judge names alone, and the proxy has to
/// refuse addresses. Requests to this machine itself do not take it.
public struct OutgoingProxy: Sendable {
    /// The URL without user and password, which logs and pages may show.
    public let address: String
    let user: String?
    let password: String?

    /// Parses the URL; nil when it does not have this form.
    public init?(_ url: String) {
        guard let url = ServerURL(url, schemes: ["http://"]), url.hasPort else { return nil }
        (address, user, password) = (url.address, url.user, url.password)
    }
}

/// The host of a URL as libcurl reads it.
struct RequestHost {
    /// In lower case, without brackets and without a dot at the end.
    let name: String
    private let address: PeerAddress?

    /// Names below these are never on the public Internet (RFC 6761, RFC 6762, RFC 8375, ICANN's `.internal`).
    private static let localNames = ["localhost", "local", "internal", "home.arpa", "lan", "intranet", "corp"]

    /// Nil for a URL that libcurl does not read.
    init?(of url: String) {
        guard let parts = unsafe curl_url() else { return nil }
        defer { unsafe curl_url_cleanup(parts) }
        var host: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK,
            unsafe curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK, let host = unsafe host
        else { return nil }
        defer { unsafe curl_free(host) }
        let text = unsafe String(cString: host).lowercased()
        let bare = text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : text
        name = bare.hasSuffix(".") ? String(bare.dropLast()) : bare
        address = PeerAddress(name)
    }

    /// Whether it is this machine.
    var isLoopback: Bool { address?.isLoopback ?? (name == "localhost" || name.hasSuffix(".localhost")) }

    /// Whether a proxy may be asked for it: a public address, or a name that is not one of a local network.
    var isPublic: Bool {
        if let address { return address.isPublic }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        // A name whose last label is a number is an address in one of its other spellings (WHATWG URL, "ends in a number").
        guard labels.count > 1, labels.last?.utf8.first.map({ $0 < 0x30 || $0 > 0x39 }) == true else { return false }
        return !Self.localNames.contains { name.hasSuffix(".\($0)") }
    }
}
