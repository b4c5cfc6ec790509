internal import Glibc

/// The IP address at the other end of a connection.
struct PeerAddress: Equatable {
    /// Four or sixteen octets, in network order.
    private let octets: [UInt8]

    /// Parses the usual notation; nil when it is not an IP address, as for a socket of another family.
    init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        // A link-local address names its interface, as in `fe80::1%eth0`.
        let plain = String(text.prefix { $0 != "%" })
        if unsafe inet_pton(AF_INET, plain, &v4) == 1 {
            octets = unsafe withUnsafeBytes(of: v4) { unsafe Array($0) }
        } else if unsafe inet_pton(AF_INET6, plain, &v6) == 1 {
            octets = unsafe withUnsafeBytes(of: v6) { unsafe Array($0) }
        } else {
            return nil
        }
    }

    /// Reads the address of a socket address of that family; nil when the family is neither IPv4 nor IPv6.
    init?(_ address: UnsafeRawPointer, family: Int32) {
        switch family {
        case AF_INET:
            let name = unsafe address.loadUnaligned(as: sockaddr_in.self)
            octets = unsafe withUnsafeBytes(of: name.sin_addr) { unsafe Array($0) }
        case AF_INET6:
            let name = unsafe address.loadUnaligned(as: sockaddr_in6.self)
            octets = unsafe withUnsafeBytes(of: name.sin6_addr) { unsafe Array($0) }
        default: return nil
        }
    }

    private init(octets: some Sequence<UInt8>) { self.octets = Array(octets) }

    /// Whether the address is in 127.0.0.0/8 or is ::1; IPv4-mapped addresses are not loopback.
    var isLoopback: Bool { octets.count == 4 ? octets[0] == 127 : octets == [UInt8](repeating: 0, count: 15) + [1] }

    /// Whether the address is one of the public Internet.
    ///
    /// For IPv4, the addresses of the special-purpose registry (RFC 6890) are not. For IPv6 it is the reverse: only
    /// 2000::/3 is allocated, so mapped, private, link-local and multicast addresses are excluded; of the allocated
    /// ones, those that embed an IPv4 address are excluded as well, and those for documentation. NAT64 addresses (RFC
    /// 6052) are judged by the IPv4 address they embed, because in some networks there is no other way to a server.
    var isPublic: Bool {
        if octets.count == 4 { return !Self.special4.contains { $0.contains(octets) } }
        if Self.nat64.contains(octets) { return PeerAddress(octets: octets.suffix(4)).isPublic }
        return Self.global6.contains(octets) && !Self.special6.contains { $0.contains(octets) }
    }

    private struct Block {
        let octets: [UInt8]
        let prefix: Int

        init(_ octets: [UInt8], _ prefix: Int) {
            self.octets = octets
            self.prefix = prefix
        }

        func contains(_ address: [UInt8]) -> Bool {
            for (index, octet) in octets.enumerated() {
                let bits = min(8, max(0, prefix - 8 * index))
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
                if (octet ^ address[index]) & mask != 0 { return false }
            }
            return true
        }
    }

    /// "This network", private, shared, loopback, link-local, protocol assignments, documentation, 6to4 relays,
    /// benchmarks, multicast, and the reserved range with the broadcast address.
    private static let special4 = [
        Block([0], 8), Block([10], 8), Block([100, 64], 10), Block([127], 8), Block([169, 254], 16),
        Block([172, 16], 12), Block([192, 0, 0], 24), Block([192, 0, 2], 24), Block([192, 88, 99], 24),
        Block([192, 168], 16), Block([198, 18], 15), Block([198, 51, 100], 24), Block([203, 0, 113], 24),
        Block([224], 4), Block([240], 4),
    ]

    private static let global6 = Block([0x20], 3)
    private static let nat64 = Block([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], 96)
    /// Protocol assignments with Teredo, documentation (two ranges), 6to4.
    private static let special6 = [
        Block([0x20, 0x01, 0], 23), Block([0x20, 0x01, 0x0D, 0xB8], 32), Block([0x3F, 0xFF, 0], 20),
        Block([0x20, 0x02], 16),
    ]
}

extension PeerAddress: CustomStringConvertible {
    var description: String {
        let family = octets.count == 4 ? AF_INET : AF_INET6
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            let written = unsafe octets.withUnsafeBytes { octets in
                unsafe inet_ntop(family, octets.baseAddress, text.baseAddress, socklen_t(text.count))
            }
            return unsafe written.map { unsafe String(cString: $0) } ?? ""
        }
    }
}

/// The addresses that a request may connect to.
///
/// It is applied to the address actually connected to, not to the host name, so neither a name that changes its address
/// between two look-ups nor a redirect bypasses it.
public enum AddressPolicy: Sendable {
    /// Public Internet addresses only: for every URL that a team can configure.
    case publicOnly
    /// Public and loopback addresses: for sandbox teams when the operator allows it.
    case publicAndLoopback
    /// Any address: for servers that the operator configures, such as a mail relay on the local network.
    case any

    func allows(_ address: PeerAddress) -> Bool {
        switch self {
        case .publicOnly: address.isPublic
        case .publicAndLoopback: address.isPublic || address.isLoopback
        case .any: true
        }
    }
}
