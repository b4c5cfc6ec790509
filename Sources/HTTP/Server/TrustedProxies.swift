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
