internal import CMicroHTTPD
internal import EventLoop
internal import Glibc

/// A socket that connections come in at, watched by a loop.
///
/// libmicrohttpd could accept them itself, but when the system has no descriptor left it takes its socket out of its
/// epoll until it runs again, and nothing makes it run: the server would be deaf for good.
@safe final class ListeningSocket {
    /// What came of asking for a connection.
    enum Outcome {
        case connection(Incoming)
        /// None waits.
        case none
        /// The one that waits is gone already.
        case vanished
        /// The system has no descriptor, or no memory, for it.
        case exhausted
    }

    /// A connection that was accepted and that nobody looks after yet.
    struct Incoming {
        let socket: Int32
        let peer: IPAddress
        var address: sockaddr_storage
        let addressSize: socklen_t

        func close() {
            Glibc.close(socket)
        }
    }

    let descriptor: Int32
    private var watch: Watch?
    /// When to listen again, while there is nothing to take a connection with.
    private var pause: Timer?

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Calls `handler` whenever a connection waits.
    func begin(on loop: EventLoop, _ handler: @escaping () -> Void) throws(EventLoop.Failure) {
        watch = try loop.watch(descriptor, for: .read) { _ in handler() }
    }

    /// Lets connections wait for `duration`.
    func rest(for duration: Duration, on loop: EventLoop) {
        guard pause == nil, let watch else { return }
        watch.change(to: [])
        pause = loop.schedule(after: duration) { [weak self] in
            self?.pause = nil
            self?.watch?.change(to: .read)
        }
    }

    /// The next connection that waits; its socket does not block and is not inherited.
    func next() -> Outcome {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let socket = unsafe pippin_accept(descriptor, &address, &size)
        guard socket >= 0 else { return Self.outcome(of: errno) }
        let peer = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress.flatMap {
                unsafe IPAddress($0)
            }
        }
        return .connection(
            Incoming(
                socket: socket,
                peer: peer ?? IPAddress(high: 0, low: 0),
                address: address,
                addressSize: size
            )
        )
    }

    /// accept(2): errors of the network belong to the one connection, as if it had come to nothing.
    private static func outcome(of error: Int32) -> Outcome {
        switch error {
        case EAGAIN: .none
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: .exhausted
        // The socket itself is unfit; asking again would not end.
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
