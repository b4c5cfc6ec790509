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
    init(stored text: String) { self.text = text }

    public var description: String { text }

    /// Whether it is a loopback address: it has no server that other machines reach.
    public var isLoopback: Bool { Loopback.contains(text) }

    /// Whether `host`, in lower case, is this domain or below it.
    func covers(_ host: Host) -> Bool { host.text == text || host.text.hasSuffix("." + text) }
}
