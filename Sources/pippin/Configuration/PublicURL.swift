import Registry

/// Origin under which users and apps reach Pippin.
///
/// It comes from the configuration, never from a request header.
struct PublicURL: Sendable {
    /// Serialized origin: scheme, host and port without a trailing slash or a default port (RFC 6454 section 6.1).
    let text: String
    let host: String
    let isSecure: Bool
    /// Port with its colon; empty for the scheme's default port.
    private let portSuffix: String

    /// Accepts an https origin, or an http origin on loopback.
    init?(_ text: String) {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { return nil }
        let rest = text.dropFirst(isSecure ? 8 : 7)
        let trimmed = rest.hasSuffix("/") ? rest.dropLast() : rest
        let parts = trimmed.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty, host.utf8.allSatisfy(Self.isHostCharacter),
            let port = parts.count == 1 ? (isSecure ? 443 : 80) : Port.read(parts[1])
        else { return nil }
        self.host = host.lowercased()
        self.isSecure = isSecure
        portSuffix = port == (isSecure ? 443 : 80) ? "" : ":\(port)"
        self.text = "\(isSecure ? "https" : "http")://\(self.host)\(portSuffix)"
        guard isSecure || isLoopback else { return nil }
    }

    var isLoopback: Bool { HostPolicy.isLoopback(host) }

    /// The origin with another host name of this machine; unchanged with TLS, as the certificate names one host.
    func beside(_ host: String) -> String { isSecure ? text : "http://\(host)\(portSuffix)" }

    private static func isHostCharacter(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// A TCP port: digits only, not zero.
enum Port {
    static func read(_ text: some StringProtocol) -> UInt16? {
        guard text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let port = UInt16(text) else {
            return nil
        }
        return port > 0 ? port : nil
    }
}
