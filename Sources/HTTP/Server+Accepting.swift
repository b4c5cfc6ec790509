internal import CMicroHTTPD
internal import EventLoop
internal import Glibc

// Connections as they come.
extension Server {
    /// Connections taken in one turn of the loop: those who are here already are served in between.
    private static let acceptsPerTurn = 16
    /// How long connections wait when there is nothing to take them with.
    private static let exhaustionPause = Duration.milliseconds(50)
    /// Connections looked at for one that can give way.
    private static let displacementSample = 32

    /// Takes up connections that wait in the kernel, at most `limit`.
    func accept(limit: Int = acceptsPerTurn) {
        for _ in 0..<limit {
            guard let listening else { break }
            switch listening.next() {
            case .connection(let incoming): take(incoming)
            case .vanished: continue
            case .none: return runSoon()
            case .exhausted:
                // What is closed now is a descriptor when the pause is over.
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
        // A connection that libmicrohttpd has told us of is taken off the count when it closes.
        if !isTaken, let peer = counted { connectionCount.remove(peer) }
        counted = nil
    }

    /// Ends a connection in favour of a new one (`Displacement`), of some that are looked at; whether there was one.
    ///
    /// Never one whose request is being worked on.
    private func displaceOne(for newcomer: Holding) -> Bool {
        let sample = (0..<min(Self.displacementSample, connections.count))
            .compactMap { _ in connections.randomElement() }
            .filter { !$0.isAborted && ($0.isAwaited || $0.isDelivered) }
        let candidates = zip(sample, connectionCount.holdings(of: sample.map(\.peer))).map {
            Displacement.Candidate(holding: $1, isDelivered: $0.isDelivered, since: $0.since)
        }
        let displacement = Displacement(tick: tick, newcomer: newcomer)
        guard let place = displacement.choose(candidates) else { return false }
        sample[place].abort()
        return true
    }
}
