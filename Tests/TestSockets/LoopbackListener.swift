// TestSockets: sockets for servers that a test plays.
//
// Owns: a place on this machine to take connections at.
// Must not know: what is said there.

import Glibc
import TestSupport

/// A socket that takes connections on a free port of this machine; whoever made it closes it.
public struct LoopbackListener: Sendable {
    public let socket: Int32
    public let port: UInt16

    /// - Parameters:
    ///   - backlog: connections that wait to be accepted.
    ///   - waits: whether `accept` waits for one.
    public init(backlog: Int32 = 4, waits: Bool = true) {
        let kind = SOCK_STREAM.rawValue | (waits ? 0 : SOCK_NONBLOCK.rawValue)
        let listener = Glibc.socket(AF_INET, Int32(kind), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutableBytes(of: &name) { name in
            let start = unsafe name.assumingMemoryBound(to: sockaddr.self).baseAddress
            unsafe bind(listener, start, length)
            unsafe getsockname(listener, start, &length)
        }
        listen(listener, backlog)
        socket = listener
        port = UInt16(bigEndian: name.sin_port)
    }

    /// Takes so many connections, and says nothing; whoever has them closes them.
    ///
    /// The listener must not wait.
    public func accept(_ count: Int) async throws -> [Int32] {
        var held: [Int32] = []
        try await waitUntil("\(count) connections") {
            let connection = Glibc.accept(socket, nil, nil)
            if connection >= 0 { held.append(connection) }
            return held.count == count
        }
        return held
    }
}
