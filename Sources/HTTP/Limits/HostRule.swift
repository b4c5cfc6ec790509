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
        let host = value.extracting(first: Self.hostEnd(of: value))
        return Self.isLoopbackAddress(host) || Self.matches(host, "[::1]", from: 0) || Self.isLocalhost(host)
            || isOwn(host)
    }

    /// The end of the host, before the port and without the dot that ends a fully qualified name.
    private static func hostEnd(of value: Span<UInt8>) -> Int {
        var end = value.count
        while end > 0, isDigit(value[end - 1]) { end -= 1 }
        end = end > 0 && value[end - 1] == UInt8(ascii: ":") ? end - 1 : value.count
        return end > 1 && value[end - 1] == UInt8(ascii: ".") ? end - 1 : end
    }

    private static func isLocalhost(_ host: Span<UInt8>) -> Bool {
        let start = host.count - 9
        guard start >= 0, matches(host, "localhost", from: start) else { return false }
        return start == 0 || start > 1 && host[start - 1] == UInt8(ascii: ".")
    }

    /// Whether the host is an IPv4 address in 127.0.0.0/8.
    private static func isLoopbackAddress(_ host: Span<UInt8>) -> Bool {
        guard (9...15).contains(host.count) else { return false }
        let address = unsafe host.withUnsafeBufferPointer { IPAddress(unsafe String(decoding: $0, as: UTF8.self)) }
        return address.map { $0.isIPv4 && $0.isLoopback } ?? false
    }

    private func isOwn(_ host: Span<UInt8>) -> Bool {
        guard host.count == own.count else { return false }
        for index in host.indices where ASCII.lowercase(host[index]) != own[index] { return false }
        return true
    }

    private static func matches(_ host: Span<UInt8>, _ word: StaticString, from start: Int) -> Bool {
        HeaderName(word).matches(host.extracting(start..<host.count))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
