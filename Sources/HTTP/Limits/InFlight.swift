internal import Synchronization

/// Count of the connections and requests in flight on all loops of a process, in total and by client network.
///
/// HTTP/1.1 without pipelining has one request in flight for each connection, so the limit of one network bounds its
/// waiting requests, its bodies and its unsent responses at once. A connection of a trusted proxy counts in the total
/// only, and each request on it counts for the client that the proxy reports.
public final class InFlight: Sendable {
    private struct State {
        var figures = ConnectionFigures()
        /// Connections and forwarded requests by `IPAddress.clientNetwork`, without zero entries.
        var byNetwork: [IPAddress: Int] = [:]
    }

    private let limit: Int
    private let limitPerNetwork: Int
    private let proxies: TrustedProxies
    private let state = Mutex(State())

    init(_ options: ServerOptions) {
        limit = max(1, options.connectionLimit)
        limitPerNetwork = options.inFlightPerNetwork
        proxies = options.trustedProxies
    }

    /// Current numbers, and totals since the start.
    public var figures: ConnectionFigures {
        var figures = state.withLock { $0.figures }
        figures.limit = limit
        return figures
    }

    /// Whether the process may accept a connection.
    var hasRoom: Bool { state.withLock { $0.figures.now < limit } }

    /// Counts a connection until `close`; false, and recorded, when its network has reached its limit.
    func open(_ peer: IPAddress) -> Bool {
        let isProxy = proxies.contains(peer)
        return state.withLock { state in
            guard isProxy || take(peer, in: &state) else { return false }
            state.figures.now += 1
            state.figures.peak = max(state.figures.peak, state.figures.now)
            return true
        }
    }

    func close(_ peer: IPAddress) {
        state.withLock { $0.figures.now -= 1 }
        if !proxies.contains(peer) { end(peer) }
    }

    /// Counts a request that a trusted proxy forwards for `client` until `end`; false, and recorded, when the client's
    /// network has reached its limit.
    func begin(_ client: IPAddress) -> Bool { state.withLock { take(client, in: &$0) } }

    func end(_ client: IPAddress) {
        state.withLock { state in
            guard let place = state.byNetwork.index(forKey: client.clientNetwork) else { return }
            if state.byNetwork.values[place] > 1 {
                state.byNetwork.values[place] -= 1
            } else {
                state.byNetwork.remove(at: place)
            }
        }
    }

    private func take(_ client: IPAddress, in state: inout State) -> Bool {
        func count(_ held: inout Int) -> Bool {
            guard limitPerNetwork == 0 || held < limitPerNetwork else { return false }
            held += 1
            return true
        }
        if count(&state.byNetwork[client.clientNetwork, default: 0]) { return true }
        state.figures.refused += 1
        state.figures.lastRefused = client
        return false
    }

    /// Records what happened otherwise.
    func note(_ change: (inout ConnectionFigures) -> Void) { state.withLock { change(&$0.figures) } }
}

/// Numbers of open and refused connections of a process.
public struct ConnectionFigures: Equatable, Sendable {
    public internal(set) var now = 0
    /// The most connections open at a time since the start.
    public internal(set) var peak = 0
    /// The limit of open connections.
    public internal(set) var limit = 0
    /// Connections and forwarded requests refused since the start because their network had reached its limit.
    public internal(set) var refused = 0
    /// The address most recently refused.
    public internal(set) var lastRefused: IPAddress?
    /// How often since the start a connection had to wait because the process had as many as allowed.
    public internal(set) var full = 0
    /// How often since the start the system had no descriptor or no memory for a waiting connection.
    public internal(set) var exhaustions = 0
    /// Octets of responses that clients had yet to receive, as of each loop's last sweep.
    public internal(set) var inDelivery = 0
    /// Connections closed since the start to free memory for other responses.
    public internal(set) var answersGivenUp = 0

    public init() {}
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
