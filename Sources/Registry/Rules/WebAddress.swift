import Core

/// An absolute URL with a host, by the rules common to all registered URLs.
///
/// The text is kept byte for byte; only the host is parsed (RFC 3986 section 3).
struct WebAddress: Hashable {
    static let maximumLength = 2048

    let text: String
    let host: Host
    /// Scheme, host and port in lower case.
    let origin: String
    var port: Int { Self.port(of: origin) }

    /// - Parameter isOpenedByBrowsers: whether browsers go there, and not this server.
    /// - Throws: `ValidationError` with the first rule that the text breaks.
    init(parsing text: String, policy: HostPolicy, isOpenedByBrowsers: Bool = false) throws(ValidationError) {
        guard !text.isEmpty else { throw .missing }
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong(limit: Self.maximumLength) }
        try Self.checkCharacters(of: text)
        let scheme = try Self.scheme(of: text)
        guard !text.utf8.contains(UInt8(ascii: "#")) else { throw .fragment }
        let authority = text.dropFirst(scheme.count + 3).prefix { $0 != "/" && $0 != "?" }
        let host = try Self.host(ofAuthority: authority)
        try Self.check(scheme, host, policy)
        self.text = text
        self.host = host
        origin = "\(scheme)://\(authority.lowercased())"
        if policy.own?.isReached(by: self, isOpenedByBrowsers: isOpenedByBrowsers) == true {
            throw .ownAddress(host: host.text)
        }
    }

    /// The port of an origin, or its scheme's.
    static func port(of origin: String) -> Int {
        origin.split(separator: ":").last.flatMap { Int($0) } ?? (origin.hasPrefix("https") ? 443 : 80)
    }

    /// Allows only the characters of RFC 3986 section 2: none is invisible, and all parsers split the text alike.
    private static func checkCharacters(of text: String) throws(ValidationError) {
        var pendingDigits = 0
        for scalar in text.unicodeScalars {
            guard scalar.isASCII, Self.isURLCharacter(UInt8(truncatingIfNeeded: scalar.value)) else {
                throw .addressCharacter(scalar)
            }
            if pendingDigits > 0 {
                guard scalar.properties.isASCIIHexDigit else { throw .percentEscape }
                pendingDigits -= 1
            } else if scalar == "%" {
                pendingDigits = 2
            }
        }
        guard pendingDigits == 0 else { throw .percentEscape }
    }

    private static func isURLCharacter(_ octet: UInt8) -> Bool {
        octet.isASCIILetter || octet.isASCIIDigit || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(octet)
    }

    private static func isSchemeCharacter(_ octet: UInt8) -> Bool {
        octet.isASCIILetter || octet.isASCIIDigit || "+-.".utf8.contains(octet)
    }

    private static func scheme(of text: String) throws(ValidationError) -> String {
        let octets = text.utf8
        let end = octets.firstIndex { !isSchemeCharacter($0) } ?? octets.endIndex
        let (scheme, rest) = (String(text[..<end]), octets[end...])
        guard !scheme.isEmpty, rest.starts(with: "://".utf8) else {
            // `mailto:x` and `com.acme.app:/callback` have a scheme, but not an allowed one.
            if !scheme.isEmpty, rest.starts(with: ":/".utf8) { throw .scheme(scheme) }
            throw .notAbsolute
        }
        switch scheme {
        case "https", "http": return scheme
        case _ where ["https", "http"].contains(scheme.lowercased()): throw .mixedCaseScheme(scheme)
        default: throw .scheme(scheme)
        }
    }

    private static func host(ofAuthority authority: Substring) throws(ValidationError) -> Host {
        guard !authority.contains("@") else { throw .userInfo }
        guard !authority.isEmpty else { throw .hostName("") }
        let host = try hostText(ofAuthority: authority)
        let rest = authority.dropFirst(host.count)
        if !rest.isEmpty {
            guard rest.first == ":" else { throw .hostName(String(authority)) }
            try check(port: rest.dropFirst())
        }
        guard !host.isEmpty else { throw .hostName("") }
        return try Host(String(host))
    }

    private static func hostText(ofAuthority authority: Substring) throws(ValidationError) -> Substring {
        guard authority.hasPrefix("[") else { return authority.prefix { $0 != ":" } }
        guard let bracket = authority.firstIndex(of: "]") else { throw .ipAddress(String(authority)) }
        return authority[...bracket]
    }

    private static func check(port: Substring) throws(ValidationError) {
        guard let number = UInt16(port), number > 0, String(number) == port else { throw .port(String(port)) }
    }

    private static func check(_ scheme: String, _ host: Host, _ policy: HostPolicy) throws(ValidationError) {
        switch (host, scheme, policy.allowsLoopback) {
        case (.name, "https", _), (.loopback, "http", true): return
        case (.name(let name), _, _): throw .unencrypted(host: name)
        case (.loopback(let address), _, false): throw .loopbackOutsideSandbox(host: address)
        case (.loopback(let address), _, true): throw .loopbackOverHTTPS(host: address)
        }
    }
}
