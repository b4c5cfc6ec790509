internal import CMicroHTTPD
internal import EventLoop
internal import Glibc

/// A listening socket, watched by an event loop.
///
/// libmicrohttpd could accept connections itself, but when the system has no descriptor left it removes its socket from
/// its epoll until it runs again, and nothing makes it run: the server would never accept a connection again.
@safe final class ListeningSocket {
    /// Result of accepting a connection.
    enum Outcome {
        case connection(Incoming)
        /// No connection waits.
        case none
        /// The waiting connection is already gone.
        case vanished
        /// The system has no descriptor or no memory for the waiting connection.
        case exhausted
    }

    /// An accepted connection that the daemon does not serve yet.
    struct Incoming {
        let socket: Int32
        let peer: IPAddress
        var address: sockaddr_storage
        let addressSize: socklen_t

        func close() { Glibc.close(socket) }
    }

    let descriptor: Int32
    private var watch: Watch?
    /// Timer that resumes accepting after a pause; nil outside a pause.
    private var pause: Timer?

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Calls `handler` whenever a connection waits.
    func begin(on loop: EventLoop, _ handler: @escaping () -> Void) throws(EventLoop.Failure) {
        watch = try loop.watch(descriptor, for: .read) { _ in handler() }
    }

    /// Accepts nothing for `duration`; connections wait in the kernel meanwhile.
    func rest(for duration: Duration, on loop: EventLoop) {
        guard pause == nil, let watch else { return }
        watch.change(to: [])
        pause = loop.schedule(after: duration) { [weak self] in
            self?.pause = nil
            self?.watch?.change(to: .read)
        }
    }

    /// Accepts the next waiting connection; its socket is non-blocking and close-on-exec.
    func next() -> Outcome {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let socket = unsafe pippin_accept(descriptor, &address, &size)
        guard socket >= 0 else { return Self.outcome(of: errno) }
        let peer = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress.flatMap { unsafe IPAddress($0) }
        }
        return .connection(
            Incoming(socket: socket, peer: peer ?? IPAddress(high: 0, low: 0), address: address, addressSize: size))
    }

    /// Maps an error of accept(2); a network error concerns only the one connection, which counts as gone.
    private static func outcome(of error: Int32) -> Outcome {
        switch error {
        case EAGAIN: .none
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: .exhausted
        // The listening socket itself is unusable; retrying would never end.
        case EBADF, EINVAL, ENOTSOCK, EFAULT: .none
        default: .vanished
        }
    }

    func close() {
        pause?.cancel()
        watch?.cancel()
        watch = nil
        Glibc.close(descriptor)
    }
}

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
                if number == 0 { inFlight.note { $0.full += 1 } }
                return listening.rest(for: Self.pause, on: loop)
            }
            switch listening.next() {
            case .connection(let incoming): take(incoming)
            case .vanished: continue
            case .none: return
            case .exhausted:
                inFlight.note { $0.exhaustions += 1 }
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
