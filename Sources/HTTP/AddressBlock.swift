internal import Core

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
