internal import Glibc

/// An IP address, or the range of addresses of a network, as octets that sort.
///
/// An IPv4 address is stored in its IPv6-mapped form (RFC 4291 section 2.5.5.2), so every address has 16 octets.
public struct AddressRange: Hashable, Sendable {
    /// The first and the last address, 16 octets each.
    public let first: [UInt8]
    public let last: [UInt8]

    /// Parses an address or a network in CIDR notation (RFC 4632), or returns nil; bits below the prefix are ignored.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ Self.octets(of: String($0)) }) else { return nil }
        var prefix = 128
        if parts.count == 2 {
            let width = address.width
            guard let length = Self.number(parts[1]), length <= width else { return nil }
            prefix = length + 128 - width
        }
        first = address.octets.indices.map { address.octets[$0] & ~Self.hostBits(of: $0, prefix) }
        last = address.octets.indices.map { address.octets[$0] | Self.hostBits(of: $0, prefix) }
    }

    /// Whether the range is a single address.
    public var isSingle: Bool { first == last }

    /// A mask of the bits of octet `index` that lie below the prefix.
    private static func hostBits(of index: Int, _ prefix: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: 0xFF >> min(max(prefix - 8 * index, 0), 8))
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }

    private static func octets(of text: String) -> (octets: [UInt8], width: Int)? {
        var v4 = in_addr()
        if unsafe inet_pton(AF_INET, text, &v4) == 1 {
            let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
            return unsafe (mapped + withUnsafeBytes(of: v4) { unsafe Array($0) }, 32)
        }
        var v6 = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        return unsafe (withUnsafeBytes(of: v6) { unsafe Array($0) }, 128)
    }
}
