/// A domain of a Service ID: a host name in lower case, or in a sandbox team a loopback address.
///
/// It covers itself and every host below it.
public struct DomainName: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// Parses the user's text.
    ///
    /// - Throws: `ValidationError` when it is not a host name, or a loopback address that the policy does not allow.
    public init(parsing text: String, policy: HostPolicy) throws(ValidationError) {
        guard !text.isEmpty else { throw .missing }
        guard !text.utf8.contains(UInt8(ascii: "/")) else { throw .domainWithScheme }
        guard !text.utf8.contains(UInt8(ascii: "*")) else { throw .wildcard }
        let host: Host
        do { host = try Host(text) } catch .ipAddress
            where text.utf8.contains(UInt8(ascii: ":")) && !text.hasPrefix("[")
        { throw .domainWithScheme }
        if case .loopback = host, !policy.allowsLoopback { throw .loopbackOutsideSandbox(host: host.text) }
        self.text = host.text
    }

    /// A stored domain, which was parsed before.
    public init(stored text: String) { self.text = text }

    public var description: String { text }

    /// Whether it is a loopback address: it has no server that other machines reach.
    public var isLoopback: Bool { HostPolicy.isLoopback(text) }

    /// Whether `host`, in lower case, is this domain or below it.
    func covers(_ host: Host) -> Bool { host.text == text || host.text.hasSuffix("." + text) }
}

extension DomainName {
    /// The URL from which Pippin requests the file.
    ///
    /// A loopback address has no web server at the default port, so the port of the first return URL on it is used.
    ///
    /// - Parameter returnURLs: the return URLs of the Service IDs that name the domain.
    public func associationURL(_ returnURLs: [ReturnURL]) -> String {
        guard case .loopback? = try? Host(text) else { return "https://\(text)\(AssociationFile.path)" }
        let origins = ["http://\(text):", "http://\(text)/"]
        let known = returnURLs.first { url in origins.contains { url.text.hasPrefix($0) } }
        guard let known else { return "http://\(text)\(AssociationFile.path)" }
        let authority = known.text.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" }
        return "http://\(authority)\(AssociationFile.path)"
    }
}
