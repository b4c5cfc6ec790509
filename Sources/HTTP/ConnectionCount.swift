internal import Synchronization

/// The connections of all loops of a process, counted where they come from.
///
/// Asked when a connection comes and when it goes, never for a request.
public final class ConnectionCount: Sendable {
    /// Why a connection is not taken.
    enum Refusal {
        /// Its address has as many as one may have.
        case address
        /// The addresses of its site have as many as they may have together.
        case site
        /// There is room for no more from anywhere.
        case room
    }

    private struct State {
        var figures = ConnectionFigures()
        /// By address of IPv4 or network of IPv6; only those that have any.
        var byNetwork: [IPAddress: Int] = [:]
        /// By site of IPv6.
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

    /// What there is now and was since the start.
    public var figures: ConnectionFigures {
        var figures = state.withLock { $0.figures }
        figures.limit = limit
        return figures
    }

    /// What each of these clients holds.
    func holdings(of peers: [IPAddress]) -> [Holding] {
        let areTrusted = peers.map(proxies.contains)
        return state.withLock { state in
            zip(peers, areTrusted).map { $1 ? Holding() : state.holding(of: $0) }
        }
    }

    /// Counts a connection, unless there are too many; `remove` takes it back.
    ///
    /// - Parameter makesRoom: called when the process has as many as it may, with what the client holds now; whether
    ///   another connection gives way.
    func add(_ peer: IPAddress, makesRoom: (Holding) -> Bool) -> Refusal? {
        let isTrusted = proxies.contains(peer)
        let (refusal, holding) = state.withLock { state -> (Refusal?, Holding?) in
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
        // Outside the lock: closing a connection comes back here.
        let hasRoom = makesRoom(holding)
        state.withLock { state in
            if hasRoom { state.figures.displaced += 1 } else { state.figures.refusedForRoom += 1 }
        }
        guard !hasRoom else { return nil }
        remove(peer)
        return .room
    }

    /// Whether where it comes from has as many as it may have; then that is noted.
    private func refuse(_ peer: IPAddress, in state: inout State) -> Refusal? {
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

    /// What the loops hold of answers has become that much more, or less.
    func noteInDelivery(_ difference: Int) {
        guard difference != 0 else { return }
        state.withLock { $0.figures.inDelivery += difference }
    }

    /// So many answers were given up, for others to have room.
    func noteAnswersGivenUp(_ count: Int) {
        state.withLock { $0.figures.answersGivenUp += count }
    }

    /// The system had no descriptor, or no memory, for a connection that waits.
    ///
    /// - Parameter hasDisplaced: whether another one was closed so that there is one.
    func noteExhaustion(hasDisplaced: Bool) {
        state.withLock { state in
            state.figures.exhaustions += 1
            if hasDisplaced { state.figures.displaced += 1 }
        }
    }
}

/// How many connections a process has, and how many it did not take.
public struct ConnectionFigures: Equatable, Sendable {
    public internal(set) var now = 0
    /// The most there were at a time since the start.
    public internal(set) var peak = 0
    /// How many there may be.
    public internal(set) var limit = 0
    /// Refused since the start, because their address had as many as one may have.
    public internal(set) var refusedByAddress = 0
    /// Refused since the start, because the addresses of their site of IPv6 had as many as they may have together.
    public internal(set) var refusedBySite = 0
    /// Refused since the start, because no other could give way.
    public internal(set) var refusedForRoom = 0
    /// Connections closed since the start so that a new one could be taken.
    public internal(set) var displaced = 0
    /// Octets of answers that clients had yet to take at the last look, a moment ago.
    public internal(set) var inDelivery = 0
    /// Connections closed since the start so that there was memory for the answers of others.
    public internal(set) var answersGivenUp = 0
    /// How often since the start the system had no descriptor left for one that waited.
    public internal(set) var exhaustions = 0
    /// The address that was refused last for having too many.
    public internal(set) var lastRefused: IPAddress?
    /// The address that was refused last because its site had too many.
    public internal(set) var lastRefusedOfSite: IPAddress?

    public init() {}
}

extension IPAddress {
    /// What one customer has: an address of IPv4, or a network of 64 bits of IPv6 (RFC 6177).
    public var network: IPAddress { isIPv4 ? self : IPAddress(high: high, low: 0) }

    /// What a provider gives to one site at most: 48 bits of IPv6, and so 65,536 networks (RFC 6177); nil for an address
    /// of IPv4.
    public var site: IPAddress? { isIPv4 ? nil : IPAddress(high: high & ~0xFFFF, low: 0) }
}
