internal import Core

/// A relying party: the host that keys are bound to, and the origin of its pages.
public struct RelyingParty: Hashable, Sendable {
    /// The RP ID: a host name.
    public let id: String
    /// Scheme, host, and port, as browsers write them.
    public let origin: String

    /// The relying party of a public URL; nil where passkeys are not possible.
    ///
    /// The host must be a name (Web Authentication Level 3 section 5.1.2), and the page a secure context: TLS, or
    /// plain HTTP on `localhost`.
    /// - Parameter publicURL: scheme, host, and port, in lowercase, without a trailing slash.
    public init?(publicURL: String) {
        guard let separator = publicURL.firstRange(of: "://") else { return nil }
        let scheme = publicURL[..<separator.lowerBound]
        let authority = publicURL[separator.upperBound...]
        let host = authority.prefix { $0 != ":" && $0 != "/" }
        guard !host.isEmpty, !host.hasPrefix("["), host.utf8.last != UInt8(ascii: ".") else { return nil }
        // The last label of an IPv4 address is a number, that of a host name never is (RFC 1123 section 2.1).
        let label = host.split(separator: ".").last ?? ""
        guard !label.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        let isLocal = host == "localhost" || host.hasSuffix(".localhost")
        guard scheme == "https" || (scheme == "http" && isLocal) else { return nil }
        id = String(host)
        origin = publicURL
    }
}
