import Glibc
import Synchronization
import TestSupport

/// A server of TLS whose handshake never ends.
public final class EndlessRecords: Sendable {
    /// What it sends once a client has said hello.
    public enum Kind: CaseIterable, Sendable {
        /// HelloRequest without end, which a client of TLS 1.2 passes over wherever it is (RFC 5246 section 7.4.1.1).
        case helloRequests
        /// A ServerHello but for its last octet, each in a record of its own, with empty ones before it; then nothing.
        case fragments

        fileprivate var octets: [UInt8] {
            switch self {
            case .helloRequests: return Array(repeatElement([22, 3, 3, 0, 4, 0, 0, 0, 0], count: 4096).joined())
            case .fragments:
                let empty = Array(repeatElement([22, 3, 3, 0, 0] as [UInt8], count: 32).joined())
                let message: [UInt8] = [2, 0, 0x4E, 0x20] + [UInt8](repeating: 3, count: 19_999)
                return message.flatMap { empty + [22, 3, 3, 0, 1, $0] }
            }
        }
    }

    public let listener = LoopbackListener()
    private let kind: Kind
    private let isOver = Atomic(false)
    private let wasStopped = Atomic(true)

    public init(_ kind: Kind = .helloRequests) { self.kind = kind }

    /// Whether it went on for as long as it may, since nobody stopped it.
    public var hasGivenUp: Bool { !wasStopped.load(ordering: .sequentiallyConsistent) }

    /// Answers one connection until `stop`, ten minutes at most; to be called on a thread of its own.
    public func serve() {
        let connection = accept(listener.socket, nil, nil)
        guard connection >= 0 else { return }
        defer { close(connection) }
        var pause = timeval(tv_sec: 0, tv_usec: 50_000)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &pause, size)
        var hello = [UInt8](repeating: 0, count: 4096)
        unsafe recv(connection, &hello, hello.count, 0)
        let octets = kind.octets
        var rest = octets[...]
        let end = ContinuousClock.now + .testTimeout
        while !isOver.load(ordering: .sequentiallyConsistent) {
            guard ContinuousClock.now < end else { return wasStopped.store(false, ordering: .sequentiallyConsistent) }
            if rest.isEmpty, kind == .helloRequests { rest = octets[...] }
            guard !rest.isEmpty else {
                usleep(5000)
                continue
            }
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            rest = rest.dropFirst(max(0, count))
        }
    }

    public func stop() {
        isOver.store(true, ordering: .sequentiallyConsistent)
        // Whoever waits for a connection wakes.
        shutdown(listener.socket, Int32(SHUT_RDWR))
    }

    deinit { close(listener.socket) }
}
