/// Under which names a server that only this machine reaches is answered.
///
/// A page of any website may have its own name point to 127.0.0.1 and then read what a server there answers, as if it
/// were its own (DNS rebinding). What gives it away is the name, which the browser sends in `Host`.
public struct HostRule: Sendable {
    /// In lower case.
    private let own: [UInt8]

    /// Allows `localhost`, names below it (RFC 6761 section 6.3), 127.0.0.0/8, `[::1]`, and one name more.
    ///
    /// - Parameter own: the host of the address that people are given, without a port.
    public init(local own: String) {
        self.own = own.utf8.map(ASCII.lowercase)
    }

    /// Whether the value of a `Host` field, with or without a port, is such a name.
    func admits(_ value: Span<UInt8>) -> Bool {
        let host = value.extracting(first: Self.hostEnd(of: value))
        return Self.isLoopbackAddress(host) || Self.matches(host, "[::1]", from: 0) || Self.isLocalhost(host)
            || isOwn(host)
    }

    /// Where the port begins, or the end; a dot at the end of a name says no more than that it is whole.
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

    /// Four numbers, the first of them 127.
    private static func isLoopbackAddress(_ host: Span<UInt8>) -> Bool {
        guard host.count <= 15, host.count >= 9, host[0] == UInt8(ascii: "1"), host[1] == UInt8(ascii: "2"),
            host[2] == UInt8(ascii: "7"), host[3] == UInt8(ascii: ".")
        else { return false }
        var dots = 0
        for index in host.indices {
            if host[index] == UInt8(ascii: ".") {
                dots += 1
            } else if !isDigit(host[index]) {
                return false
            }
        }
        return dots == 3
    }

    private func isOwn(_ host: Span<UInt8>) -> Bool {
        guard host.count == own.count else { return false }
        for index in host.indices where ASCII.lowercase(host[index]) != own[index] { return false }
        return true
    }

    private static func matches(_ host: Span<UInt8>, _ word: StaticString, from start: Int) -> Bool {
        HeaderName(word).matches(host.extracting(start..<host.count))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}
