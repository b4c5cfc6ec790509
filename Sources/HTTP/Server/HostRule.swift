internal import Core

/// The host names accepted by a server that only this machine can reach.
///
/// A page of any website may have its own host name resolve to 127.0.0.1 and then read the responses of a local server
/// as its own (DNS rebinding). The browser sends that host name in `Host`, which reveals the attack.
public struct HostRule: Sendable {
    /// The configured host in lower case.
    private let own: [UInt8]

    /// Accepts `localhost`, names below it (RFC 6761 section 6.3), 127.0.0.0/8, `[::1]`, and one further name.
    ///
    /// - Parameter own: the host of the server's public URL, without a port.
    public init(local own: String) { self.own = own.utf8.map(ASCII.lowercase) }

    /// Whether the value of a `Host` field, with or without a port, is accepted.
    func admits(_ value: Span<UInt8>) -> Bool {
        if isOwn(value) { return true }
        let text = unsafe value.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        guard var host = ASCII.word(text[...].utf8) else { return false }
        if let colon = host.utf8.lastIndex(of: UInt8(ascii: ":")),
            host.utf8[colon...].dropFirst().allSatisfy(\.isASCIIDigit)
        {
            host = String(host[..<colon])
        }
        // A fully qualified name may end with a dot.
        if host.utf8.count > 1, host.hasSuffix(".") { host.removeLast() }
        if host.utf8.elementsEqual(own) || host == "[::1]" || host == "localhost" { return true }
        if host.hasSuffix(".localhost") { return host != ".localhost" }
        return IPAddress(host).map { $0.isIPv4 && $0.isLoopback && !host.utf8.contains(UInt8(ascii: ":")) } ?? false
    }

    /// Whether the value is the configured host without a port or with one, as most are; no string is made of it.
    private func isOwn(_ value: Span<UInt8>) -> Bool {
        guard value.count >= own.count else { return false }
        for index in own.indices where ASCII.lowercase(value[index]) != own[index] { return false }
        guard value.count > own.count else { return true }
        guard value[own.count] == UInt8(ascii: ":") else { return false }
        for index in own.count + 1..<value.count where !value[index].isASCIIDigit { return false }
        return true
    }
}
