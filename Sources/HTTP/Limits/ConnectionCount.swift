internal import Synchronization

/// Count of the connections of all loops of a process, by client address.
///
/// Used when a connection opens or closes, never for a request.
public final class ConnectionCount: Sendable {
    /// Reason why a connection is rejected.
    enum Rejection {
        /// Its address has as many connections as allowed.
        case address
        /// Its IPv6 site has as many connections as allowed.
        case site
        /// The process has as many connections as allowed, and none could be closed.
        case room
    }

    private struct State {
        var figures = ConnectionFigures()
        /// Connections by IPv4 address or IPv6 network, without zero entries.
        var byNetwork: [IPAddress: Int] = [:]
        /// Connections by IPv6 site, without zero entries.
        var bySite: [IPAddress: Int] = [:]

        func holding(of peer: IPAddress) -> Holding {
            let network = byNetwork[peer.network, default: 0]
            return Holding(site: peer.site.map { bySite[$0, default: 0] } ?? network, network: network)
        }

        mutating func add(_ difference: Int, to peer: IPAddress) {
            Self.add(difference, to: &byNetwork[peer.network])
            if let site = peer.site { Self.add(difference, to: &bySite[site]) }
        }

        private static func add(_ difference: Int, to count: inout Int?) {
            let sum = (count ?? 0) + difference
            count = sum > 0 ? sum : nil
        }
    }

    private let limit: Int
    private let limitPerAddress: Int
    private let limitPerSite: Int
    private let proxies: TrustedProxies
    private let state = Mutex(State())

    init(_ options: ServerOptions) {
        limit = max(1, options.connectionLimit)
        limitPerAddress = options.connectionsPerAddress
        limitPerSite = options.connectionsPerSite
        proxies = options.trustedProxies
    }

    /// Current numbers, and totals since the start.
    public var figures: ConnectionFigures {
        var figures = state.withLock { $0.figures }
        figures.limit = limit
        return figures
    }

    /// The numbers of connections that these clients hold.
    func holdings(of peers: [IPAddress]) -> [Holding] {
        let areTrusted = peers.map(proxies.contains)
        return state.withLock { state in zip(peers, areTrusted).map { $1 ? Holding() : state.holding(of: $0) } }
    }

    /// Counts a connection and returns nil, or the reason why it is rejected; `remove` undoes the count.
    ///
    /// - Parameter makesRoom: called when the process has as many connections as allowed, with what the client holds
    ///   now; returns whether another connection is closed.
    func add(_ peer: IPAddress, makesRoom: (Holding) -> Bool) -> Rejection? {
        let isTrusted = proxies.contains(peer)
        let (refusal, holding) = state.withLock { state -> (Rejection?, Holding?) in
            if !isTrusted {
                if let refusal = refuse(peer, in: &state) { return (refusal, nil) }
                state.add(1, to: peer)
            }
            state.figures.now += 1
            guard state.figures.now > limit else {
                state.figures.peak = max(state.figures.peak, state.figures.now)
                return (nil, nil)
            }
            return (nil, isTrusted ? Holding() : state.holding(of: peer))
        }
        guard let holding else { return refusal }
        // Outside the lock, because `makesRoom` calls back into this object.
        let hasRoom = makesRoom(holding)
        state.withLock { state in if hasRoom { state.figures.displaced += 1 } else { state.figures.refusedForRoom += 1 }
        }
        guard !hasRoom else { return nil }
        remove(peer)
        return .room
    }

    /// The limit that the peer's address or site has reached, which is also recorded; nil when there is none.
    private func refuse(_ peer: IPAddress, in state: inout State) -> Rejection? {
        let holding = state.holding(of: peer)
        if limitPerAddress > 0, holding.network >= limitPerAddress {
            state.figures.refusedByAddress += 1
            state.figures.lastRefused = peer
            return .address
        }
        guard limitPerSite > 0, peer.site != nil, holding.site >= limitPerSite else { return nil }
        state.figures.refusedBySite += 1
        state.figures.lastRefusedOfSite = peer
        return .site
    }

    func remove(_ peer: IPAddress) {
        let isTrusted = proxies.contains(peer)
        state.withLock { state in
            state.figures.now -= 1
            if !isTrusted { state.add(-1, to: peer) }
        }
    }

    /// Adds a change in the octets of responses that a loop holds.
    func noteInDelivery(_ difference: Int) {
        guard difference != 0 else { return }
        state.withLock { $0.figures.inDelivery += difference }
    }

    /// Adds connections that were closed to free memory for other responses.
    func noteAnswersGivenUp(_ count: Int) { state.withLock { $0.figures.answersGivenUp += count } }

    /// Records that the system had no descriptor or no memory for a waiting connection.
    ///
    /// - Parameter hasDisplaced: whether another connection was closed to free one.
    func noteExhaustion(hasDisplaced: Bool) {
        state.withLock { state in
            state.figures.exhaustions += 1
            if hasDisplaced { state.figures.displaced += 1 }
        }
    }
}

/// Numbers of open, rejected and displaced connections of a process.
public struct ConnectionFigures: Equatable, Sendable {
    public internal(set) var now = 0
    /// The most connections open at a time since the start.
    public internal(set) var peak = 0
    /// The limit of open connections.
    public internal(set) var limit = 0
    /// Connections rejected since the start because their address had as many as allowed.
    public internal(set) var refusedByAddress = 0
    /// Connections rejected since the start because their IPv6 site had as many as allowed.
    public internal(set) var refusedBySite = 0
    /// Connections rejected since the start because the process had as many as allowed and none could be closed.
    public internal(set) var refusedForRoom = 0
    /// Connections closed since the start so that a new one could be accepted.
    public internal(set) var displaced = 0
    /// Octets of responses that clients had yet to receive, as of each loop's last sweep.
    public internal(set) var inDelivery = 0
    /// Connections closed since the start to free memory for other responses.
    public internal(set) var answersGivenUp = 0
    /// How often since the start the system had no descriptor or no memory for a waiting connection.
    public internal(set) var exhaustions = 0
    /// The address most recently rejected because it had too many connections.
    public internal(set) var lastRefused: IPAddress?
    /// The address most recently rejected because its site had too many connections.
    public internal(set) var lastRefusedOfSite: IPAddress?

    public init() {}
}

extension IPAddress {
    /// The range of one customer: an IPv4 address, or an IPv6 network of 64 bits (RFC 6177).
    public var network: IPAddress { isIPv4 ? self : IPAddress(high: high, low: 0) }

    /// The largest range a provider assigns to one site: 48 bits of IPv6, which is 65,536 networks (RFC 6177); nil for
    /// an IPv4 address.
    public var site: IPAddress? { isIPv4 ? nil : IPAddress(high: high & ~0xFFFF, low: 0) }
}
