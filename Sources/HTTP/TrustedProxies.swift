/// The proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed; none unless configured.
public struct TrustedProxies: Sendable {
    private let blocks: [AddressBlock]

    public init(_ blocks: [AddressBlock] = []) {
        self.blocks = blocks
    }

    /// Whether none is named.
    public var isEmpty: Bool { blocks.isEmpty }

    func contains(_ address: IPAddress) -> Bool {
        blocks.contains { $0.contains(address) }
    }

    /// Who asked: the nearest address, seen from here, that is no trusted proxy.
    ///
    /// Each proxy appends the address it was reached from, so the list is read from its end and only as far
    /// as trust goes; what a client wrote there itself stands further left and is never looked at.
    func client(behind peer: IPAddress, forwardedFor lines: [String]) -> IPAddress {
        var nearest = peer
        for line in lines.reversed() {
            for entry in line.utf8.split(separator: UInt8(ascii: ",")).reversed() {
                guard contains(nearest), let address = Self.address(in: entry) else { return nearest }
                nearest = address
            }
        }
        return nearest
    }

    /// Whether the nearest proxy was reached over TLS.
    func isSecure(behind peer: IPAddress, forwardedProto lines: [String]) -> Bool {
        guard contains(peer), let line = lines.last else { return false }
        let last = line.utf8.split(separator: UInt8(ascii: ",")).last.map { ASCII.trim($0) }
        return last.map { ASCII.equalIgnoringCase($0, "https".utf8) } ?? false
    }

    /// The longest address with brackets, zone and port, in octets.
    private static let longestEntry = 64

    /// An address with or without port: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]:4711`.
    private static func address(in entry: Substring.UTF8View) -> IPAddress? {
        let trimmed = ASCII.trim(entry)
        guard trimmed.count <= longestEntry, let text = ASCII.word(trimmed) else { return nil }
        if let address = IPAddress(text) { return address }
        if text.hasPrefix("[") {
            return text.firstIndex(of: "]").flatMap { IPAddress(String(text[..<$0].dropFirst())) }
        }
        return text.firstIndex(of: ":").flatMap { IPAddress(String(text[..<$0])) }
    }
}
