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
