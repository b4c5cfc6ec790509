internal import CCurl

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
