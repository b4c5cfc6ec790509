internal import Core
internal import Glibc

/// An IP address; IPv4 is kept in its IPv4-mapped IPv6 form, so that both spellings are one value.
public struct IPAddress: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Parses the usual notation, without brackets or port.
    public init?(_ text: String) {
        var v4 = in_addr()
        if unsafe inet_pton(AF_INET, text, &v4) == 1 {
            self.init(v4)
            return
        }
        var v6 = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        self.init(v6)
    }

    /// Reads the address of a socket address; nil when it is of another family.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = unsafe UnsafeRawPointer(address)
        // The family comes first in every socket address.
        switch Int32(unsafe raw.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET: self.init(unsafe raw.loadUnaligned(as: sockaddr_in.self).sin_addr)
        case AF_INET6: self.init(unsafe raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default: return nil
        }
    }

    init(ipv4: UInt32) { self.init(high: 0, low: Self.mappedPrefix | UInt64(ipv4)) }

    init(_ address: in_addr) { self.init(ipv4: UInt32(bigEndian: address.s_addr)) }

    init(_ address: in6_addr) {
        let words = unsafe withUnsafeBytes(of: address) { bytes in
            (
                unsafe bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
        high = UInt64(bigEndian: words.0)
        low = UInt64(bigEndian: words.1)
    }

    /// `::ffff:0:0/96` (RFC 4291 section 2.5.5.2).
    private static let mappedPrefix: UInt64 = 0xFFFF_0000_0000

    /// Whether this is an IPv4 address.
    public var isIPv4: Bool { high == 0 && low & ~0xFFFF_FFFF == Self.mappedPrefix }

    /// Whether this is a loopback address: in 127.0.0.0/8, or ::1.
    public var isLoopback: Bool { isIPv4 ? (low >> 24) & 0xFF == 127 : high == 0 && low == 1 }
}

extension IPAddress {
    /// The range of one client: an IPv4 address, or the 56 bits of IPv6 that a provider assigns to a customer (RFC 6177).
    public var clientNetwork: IPAddress { isIPv4 ? self : IPAddress(high: high & ~0xFF, low: 0) }
}

extension IPAddress: CustomStringConvertible {
    public var description: String { isIPv4 ? ipv4Text : ipv6Text }

    private var ipv4Text: String { "\(low >> 24 & 0xFF).\(low >> 16 & 0xFF).\(low >> 8 & 0xFF).\(low & 0xFF)" }

    private var ipv6Text: String {
        var address = octets
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            let written = unsafe inet_ntop(AF_INET6, &address, text.baseAddress, socklen_t(text.count))
            return unsafe written.map { unsafe String(cString: $0) } ?? ""
        }
    }

    /// The sixteen octets in network order, which sort as the addresses do.
    public var bytes: [UInt8] { unsafe withUnsafeBytes(of: octets) { unsafe Array($0) } }

    var octets: in6_addr {
        var address = in6_addr()
        unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
            unsafe bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return address
    }
}

/// A range of IP addresses in CIDR notation (RFC 4632, RFC 4291 section 2.3).
public struct AddressBlock: Hashable, Sendable {
    public let first: IPAddress
    public let last: IPAddress

    /// Parses `10.0.0.0/8`, `fd00::/8` or a single address; bits after the prefix are ignored.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress(String($0)) }) else { return nil }
        let width = address.isIPv4 ? 32 : 128
        var prefix = width
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy(\.isASCIIDigit), let given = Int(parts[1]), given <= width else {
                return nil
            }
            prefix = given
        }
        let (high, low) = (Self.mask(prefix + 128 - width), Self.mask(prefix + 64 - width))
        first = IPAddress(high: address.high & high, low: address.low & low)
        last = IPAddress(high: address.high | ~high, low: address.low | ~low)
    }

    /// Whether `address` is in the range.
    public func contains(_ address: IPAddress) -> Bool {
        let place = (address.high, address.low)
        return (first.high, first.low) <= place && place <= (last.high, last.low)
    }

    /// The first bits of 64, as many as there are.
    private static func mask(_ bits: Int) -> UInt64 { ~(UInt64.max >> max(0, bits)) }
}

/// The proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted; none unless configured.
public struct TrustedProxies: Sendable {
    private let blocks: [AddressBlock]

    public init(_ blocks: [AddressBlock] = []) { self.blocks = blocks }

    /// Whether no proxy is configured.
    public var isEmpty: Bool { blocks.isEmpty }

    func contains(_ address: IPAddress) -> Bool { blocks.contains { $0.contains(address) } }

    /// The client's address: the nearest one, seen from the server, that is not a trusted proxy.
    ///
    /// Each proxy appends the address it received the request from, so the list is read from its end and only as far as
    /// the proxies are trusted; entries that a client wrote itself are further left and are never read.
    func client(behind peer: IPAddress, forwardedFor lines: [String]) -> IPAddress {
        // With one proxy, as usual, the whole list is an address.
        if lines.count == 1, contains(peer), let client = IPAddress(lines[0]) { return client }
        var nearest = peer
        var hops = 0
        for line in lines.reversed() {
            var rest = line.utf8[...]
            while let entry = Self.popLast(&rest) {
                hops += 1
                guard hops <= Self.hopLimit, contains(nearest), let address = Self.address(in: entry) else {
                    return nearest
                }
                nearest = address
            }
        }
        return nearest
    }

    /// Removes and returns the last entry that is not empty, without reading those before it; nil when there is none.
    private static func popLast(_ rest: inout Substring.UTF8View) -> Substring.UTF8View? {
        while !rest.isEmpty {
            let comma = rest.lastIndex(of: UInt8(ascii: ","))
            let entry = rest[(comma.map(rest.index(after:)) ?? rest.startIndex)...]
            rest = rest[..<(comma ?? rest.startIndex)]
            if !entry.isEmpty { return entry }
        }
        return nil
    }

    /// The longest chain of proxies.
    private static let hopLimit = 32

    /// Whether the nearest proxy received the request over TLS.
    func isSecure(behind peer: IPAddress, forwardedProto lines: [String]) -> Bool {
        guard contains(peer), var rest = lines.last?.utf8[...], let last = Self.popLast(&rest) else { return false }
        return ASCII.equalIgnoringCase(ASCII.trim(last), "https".utf8)
    }

    /// The longest address with brackets, zone and port, in octets.
    private static let longestEntry = 64

    /// Parses an address with or without port: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]:4711`.
    private static func address(in entry: Substring.UTF8View) -> IPAddress? {
        let trimmed = ASCII.trim(entry)
        guard trimmed.count <= longestEntry else { return nil }
        let text = String(Substring(trimmed))
        if let address = IPAddress(text) { return address }
        if text.hasPrefix("[") {
            return text.firstIndex(of: "]").flatMap { IPAddress(String(text[..<$0].dropFirst())) }
        }
        return text.firstIndex(of: ":").flatMap { IPAddress(String(text[..<$0])) }
    }
}

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
