internal import CMicroHTTPD
internal import EventLoop
internal import Glibc

// Accepting connections.
extension Server {
    /// Connections accepted per turn of the loop; open ones are served in between.
    private static let acceptsPerTurn = 16
    /// Pause in accepting when the process has as many connections as allowed, or the system no descriptor or memory.
    private static let pause = Duration.milliseconds(50)

    /// Accepts connections that wait in the kernel, at most `limit`.
    func accept(limit: Int = acceptsPerTurn) {
        defer { runSoon() }
        for number in 0..<limit {
            guard let listening else { return }
            guard inFlight.hasRoom else {
                // Only of the first it is known that it waits.
                if number == 0 { inFlight.noteFull() }
                return listening.rest(for: Self.pause, on: loop)
            }
            switch listening.next() {
            case .connection(let incoming): take(incoming)
            case .vanished: continue
            case .none: return
            case .exhausted:
                inFlight.noteExhaustion()
                return listening.rest(for: Self.pause, on: loop)
            }
        }
    }

    private func take(_ incoming: ListeningSocket.Incoming) {
        guard inFlight.open(incoming.peer) else {
            incoming.close()
            return
        }
        counted = incoming.peer
        let isTaken = daemon?.add(incoming) ?? false
        // A connection that libmicrohttpd has reported to `started` leaves the count when it closes.
        if !isTaken, let peer = counted { inFlight.close(peer) }
        counted = nil
    }
}
