/// A range of IP addresses in CIDR notation (RFC 4632, RFC 4291 section 2.3).
public struct AddressBlock: Hashable, Sendable {
    private let base: IPAddress
    private let prefix: Int

    /// Parses `10.0.0.0/8`, `fd00::/8` or a single address; bits after the prefix are ignored.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let base = IPAddress(String(first)) else { return nil }
        let width = base.isIPv4 ? 32 : 128
        var length = width
        if parts.count == 2 {
            guard let given = Int(parts[1]), (0...width).contains(given) else { return nil }
            length = given
        }
        prefix = length + 128 - width
        self.base = base
    }

    /// Whether `address` is in the range.
    public func contains(_ address: IPAddress) -> Bool {
        Self.agree(address.high, base.high, bits: min(prefix, 64))
            && Self.agree(address.low, base.low, bits: max(prefix - 64, 0))
    }

    private static func agree(_ left: UInt64, _ right: UInt64, bits: Int) -> Bool {
        bits == 0 || (left ^ right) >> UInt64(64 - bits) == 0
    }
}
