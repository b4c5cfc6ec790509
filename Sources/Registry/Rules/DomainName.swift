/// A domain of a Service ID: a host name in lower case, or in a sandbox a loopback address.
///
/// It covers itself and every host below it.
public struct DomainName: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// Parses what a person typed.
    ///
    /// - Throws: `Refusal` when it is no host name, or a loopback address the policy does not know.
    public init(parsing text: String, policy: AddressPolicy) throws(Refusal) {
        guard !text.isEmpty else { throw .missing }
        guard !text.utf8.contains(UInt8(ascii: "/")) else { throw .domainWithScheme }
        guard !text.utf8.contains(UInt8(ascii: "*")) else { throw .wildcard }
        let host: Host
        do {
            host = try Host(text)
        } catch .ipAddress where text.utf8.contains(UInt8(ascii: ":")) && !text.hasPrefix("[") {
            throw .domainWithScheme
        }
        if case .loopback = host, !policy.allowsLoopback { throw .loopbackOutsideSandbox(host: host.text) }
        self.text = host.text
    }

    /// A domain that was parsed when it was stored.
    init(stored text: String) {
        self.text = text
    }

    public var description: String { text }

    /// Whether it is the machine of whoever asks: a sandbox's, with no server that others reach.
    public var isLoopback: Bool { Loopback.contains(text) }

    /// Whether `host`, in lower case, is this domain or below it.
    func covers(_ host: Host) -> Bool {
        host.text == text || host.text.hasSuffix("." + text)
    }
}
