import Glibc
import Synchronization
import TestSupport

/// Passes what clients of a port say to a Unix socket and back, until it is frozen: then it keeps what is open, and says
/// nothing.
public final class Relay: Sendable {
    private let listener = LoopbackListener(backlog: 64)
    private let path: String
    private let isFrozen = Atomic(false)
    private let isOver = Atomic(false)

    public var port: UInt16 { listener.port }

    /// - Parameter path: the socket that it connects to.
    public init(to path: String) { self.path = path }

    deinit { close(listener.socket) }

    /// Stops passing on, in both directions.
    public func freeze() { isFrozen.store(true, ordering: .sequentiallyConsistent) }

    /// Ends all connections and takes no more.
    public func stop() {
        isOver.store(true, ordering: .sequentiallyConsistent)
        shutdown(listener.socket, Int32(SHUT_RDWR))
    }

    /// Passes on until `stop`; to be called on a thread of its own.
    public func serve() {
        var pairs: [(Int32, Int32)] = []
        while !isOver.load(ordering: .sequentiallyConsistent) {
            let sides = pairs.flatMap { [$0.0, $0.1] }
            var polled = ([listener.socket] + sides).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let count = nfds_t(isFrozen.load(ordering: .sequentiallyConsistent) ? 1 : polled.count)
            unsafe poll(&polled, count, 50)
            guard !isFrozen.load(ordering: .sequentiallyConsistent) else { continue }
            for (index, pair) in pairs.enumerated().reversed() {
                let (client, server) = (polled[1 + 2 * index].revents, polled[2 + 2 * index].revents)
                if client != 0 && !pass(from: pair.0, to: pair.1) || server != 0 && !pass(from: pair.1, to: pair.0) {
                    close(pair.0)
                    close(pair.1)
                    pairs.remove(at: index)
                }
            }
            if polled[0].revents & Int16(POLLIN) != 0, let pair = accept() { pairs.append(pair) }
        }
        for pair in pairs {
            close(pair.0)
            close(pair.1)
        }
    }

    private func accept() -> (Int32, Int32)? {
        let client = Glibc.accept(listener.socket, nil, nil)
        guard client >= 0 else { return nil }
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let status = unsafe withUnsafeBytes(of: &name) { name in
            unsafe connect(
                server, name.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(MemoryLayout<sockaddr_un>.size))
        }
        if status == 0 { return (client, server) }
        close(client)
        close(server)
        return nil
    }

    private func pass(from source: Int32, to target: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = unsafe recv(source, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        var rest = buffer[..<count]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes {
                unsafe send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }
}
