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

/// Address, limits and timeouts of a server.
public struct ServerOptions: Sendable {
    /// The address to listen on.
    public var address: IPAddress
    /// The port; zero lets the system choose one.
    public var port: UInt16
    /// Certificate and key in PEM; nil when the server does not use TLS.
    public var tls: ServerTLS?
    /// Sockets that already listen, one per loop, which the servers take over; when empty, the servers open their own.
    ///
    /// Another process may hold the same sockets, and accepts the waiting connections once these servers have stopped.
    public var sockets: [Int32] = []
    /// Proxies whose report of the client's address is trusted.
    public var trustedProxies = TrustedProxies()

    /// Hosts that are accepted, others get 421; nil accepts all.
    public var hosts: HostRule?

    /// Connections of all loops together; at the limit, a new one waits in the kernel until another has closed.
    public var connectionLimit = 4096
    /// Connections per IPv4 address or IPv6 /56 network, on all loops together; a further one is closed at once.
    ///
    /// Zero is no limit. Trusted proxies have none; the requests they forward count for their clients, and a further one
    /// is answered with 503.
    public var inFlightPerNetwork = 1024
    /// Octets of the request line and the header fields; a longer head is answered with 431.
    public var headLimit = 16 * 1024

    /// Octets of bodies over 16 KiB that one loop keeps at a time; a further one is answered with 503.
    public var longBodyBudget = 32 << 20
    /// Octets of responses that one loop holds until their clients have received them; beyond it, the connections whose
    /// clients have received nothing for longest are closed.
    public var deliveryBudget = 64 << 20

    /// From the connection's start, or the last response on it, until the next head is complete; it limits idle
    /// connections and slow heads alike.
    public var headTimeout: Duration = .seconds(15)
    /// From the head until the body is complete.
    public var bodyTimeout: Duration = .seconds(15)
    /// From the complete body until the handler has responded; then the response is 503.
    ///
    /// Applies to each piece of a streamed body too; then the connection is closed.
    public var answerTimeout: Duration = .seconds(30)
    /// From the response, or a piece of it, until the client has received it.
    public var sendTimeout: Duration = .seconds(30)

    public init(address: IPAddress, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// Interval between timeout checks: a timeout takes effect at most two intervals late, never early.
    var sweepInterval: Duration {
        let shortest = min(headTimeout, bodyTimeout, answerTimeout, sendTimeout)
        return max(.milliseconds(10), min(.seconds(1), shortest / 4))
    }
}

/// A certificate chain and its private key, both PEM text.
public struct ServerTLS: Equatable, Sendable {
    public let certificate: String
    let key: String

    /// - Parameter certificate: the server's own certificate first, each followed by its issuer's.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Whether both can be read and the key belongs to the certificate.
    public var isUsable: Bool { TLSCredential(self) != nil }
}

/// A certificate chain and key in GnuTLS's form; an open connection keeps its own.
// @unchecked Sendable: nothing changes after init, and GnuTLS allows use of the key on many threads (GnuTLS manual,
// "Thread safety": objects that are not written to).
@safe final class TLSCredential: @unchecked Sendable {
    private let pointer: UnsafeMutablePointer<pippin_tls_credential>

    init?(_ tls: ServerTLS) {
        guard let pointer = unsafe pippin_tls_read(tls.certificate, tls.key) else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe pippin_tls_free(pointer) }

    func use(on connection: OpaquePointer) { unsafe pippin_tls_use(connection, pointer) }
}

// Certificate renewal.
extension Server {
    /// Uses another certificate for new connections; open ones keep theirs.
    ///
    /// Call it on the server's loop.
    ///
    /// - Returns: whether the certificate is usable and now in use; otherwise the previous one stays.
    public func renew(_ tls: ServerTLS) -> Bool {
        loop.preconditionCurrent()
        guard options.tls != nil, let credential = TLSCredential(tls) else { return false }
        self.credential = credential
        return true
    }
}
