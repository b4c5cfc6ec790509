internal import CMicroHTTPD
internal import EventLoop
internal import Glibc

// Accepting connections.
extension Server {
    /// Connections accepted per turn of the loop; open ones are served in between.
    private static let acceptsPerTurn = 16
    /// Pause in accepting when the system has no descriptor or memory left.
    private static let exhaustionPause = Duration.milliseconds(50)
    /// Connections sampled to find one to close in favour of a new one.
    private static let displacementSample = 32

    /// Accepts connections that wait in the kernel, at most `limit`.
    func accept(limit: Int = acceptsPerTurn) {
        for _ in 0..<limit {
            guard let listening else { break }
            switch listening.next() {
            case .connection(let incoming): take(incoming)
            case .vanished: continue
            case .none: return runSoon()
            case .exhausted:
                // The connection closed here frees its descriptor by the end of the pause.
                connectionCount.noteExhaustion(hasDisplaced: displaceOne(for: .one))
                listening.rest(for: Self.exhaustionPause, on: loop)
                return runSoon()
            }
        }
        runSoon()
    }

    private func take(_ incoming: ListeningSocket.Incoming) {
        guard connectionCount.add(incoming.peer, makesRoom: displaceOne) == nil else {
            incoming.close()
            return
        }
        counted = incoming.peer
        let isTaken = daemon?.add(incoming) ?? false
        // A connection that libmicrohttpd has reported to `started` leaves the count when it closes.
        if !isTaken, let peer = counted { connectionCount.remove(peer) }
        counted = nil
    }

    /// Ends one of a sample of connections in favour of a new one (`Displacement`); false when none can be ended.
    ///
    /// Never ends a connection whose request is being processed.
    private func displaceOne(for newcomer: Holding) -> Bool {
        let sample = (0..<min(Self.displacementSample, connections.count)).compactMap { _ in connections.randomElement()
        }.filter { !$0.isAborted && ($0.isAwaited || $0.isDelivered) }
        let candidates = zip(sample, connectionCount.holdings(of: sample.map(\.peer))).map {
            Displacement.Candidate(holding: $1, isDelivered: $0.isDelivered, since: $0.since)
        }
        let displacement = Displacement(tick: tick, newcomer: newcomer)
        guard let place = displacement.choose(candidates) else { return false }
        sample[place].abort()
        return true
    }
}
