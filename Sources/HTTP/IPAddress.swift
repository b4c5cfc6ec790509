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
