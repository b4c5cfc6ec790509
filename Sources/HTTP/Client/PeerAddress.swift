internal import Glibc

/// The IP address at the other end of a connection.
struct PeerAddress: Equatable {
    private let address: IPAddress
    /// Whether it is an IPv4 address in its IPv6 form (RFC 4291 section 2.5.5.2), which is neither loopback nor public.
    private let isMapped: Bool

    /// Parses the usual notation; nil when it is not an IP address, as for a socket of another family.
    init?(_ text: String) {
        // A link-local address names its interface, as in `fe80::1%eth0`.
        let plain = String(text.prefix { $0 != "%" })
        guard let address = IPAddress(plain) else { return nil }
        self.address = address
        isMapped = address.isIPv4 && plain.utf8.contains(UInt8(ascii: ":"))
    }

    /// Reads the address of a socket address of that family; nil when the family is neither IPv4 nor IPv6.
    init?(_ address: UnsafeRawPointer, family: Int32) {
        guard let address = unsafe IPAddress(address.assumingMemoryBound(to: sockaddr.self)) else { return nil }
        self.address = address
        isMapped = address.isIPv4 && family == AF_INET6
    }

    /// Whether the address is in 127.0.0.0/8 or is ::1.
    var isLoopback: Bool { !isMapped && address.isLoopback }

    /// Whether the address is one of the public Internet.
    ///
    /// For IPv4, the addresses of the special-purpose registry (RFC 6890) are not. For IPv6 it is the reverse: only
    /// 2000::/3 is allocated, so mapped, private, link-local and multicast addresses are excluded; of the allocated
    /// ones, those that embed an IPv4 address are excluded as well, and those for documentation. NAT64 addresses (RFC
    /// 6052) are judged by the IPv4 address they embed, because in some networks there is no other way to a server.
    var isPublic: Bool {
        if isMapped { return false }
        let isNAT64 = Self.nat64.contains { $0.contains(address) }
        let judged = isNAT64 ? IPAddress(ipv4: UInt32(truncatingIfNeeded: address.low)) : address
        if judged.isIPv4 { return !Self.special4.contains { $0.contains(judged) } }
        return Self.global6.contains { $0.contains(judged) } && !Self.special6.contains { $0.contains(judged) }
    }

    /// "This network", private, shared, loopback, link-local, protocol assignments, documentation, 6to4 relays,
    /// benchmarks, multicast, and the reserved range with the broadcast address.
    private static let special4 = blocks(
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4")
    private static let global6 = blocks("2000::/3")
    private static let nat64 = blocks("64:ff9b::/96")
    /// Protocol assignments with Teredo, documentation (two ranges), 6to4.
    private static let special6 = blocks("2001::/23", "2001:db8::/32", "3fff::/20", "2002::/16")

    private static func blocks(_ texts: String...) -> [AddressBlock] {
        texts.map { text in
            guard let block = AddressBlock(text) else { preconditionFailure("\(text) is not a range of addresses") }
            return block
        }
    }
}

extension PeerAddress: CustomStringConvertible {
    var description: String { isMapped ? "::ffff:\(address)" : address.description }
}
