import Glibc

/// Creation of listening sockets.
public enum Listener {
    /// Opens `count` listening sockets, one per loop, on the same address and port; close-on-exec, and the caller
    /// closes them.
    ///
    /// `SO_REUSEPORT` would let a second process of the same user share the port without an error and take half of the
    /// connections. So a first bind without it only serves to detect a port that is in use.
    public static func open(_ address: IPAddress, _ port: UInt16, count: Int) throws(ServerFailure) -> [Int32] {
        if port != 0 { try probe(address, port) }
        var sockets: [Int32] = []
        var chosen = port
        for _ in 0..<count {
            let socket: Int32
            do throws(ServerFailure) { socket = try bound(address, chosen, sharing: true) } catch {
                for socket in sockets { close(socket) }
                throw error
            }
            sockets.append(socket)
            guard listen(socket, SOMAXCONN) == 0 else { throw failure(address, port, closing: sockets) }
            chosen = self.port(of: socket)
        }
        return sockets
    }

    private static func probe(_ address: IPAddress, _ port: UInt16) throws(ServerFailure) {
        let probe = try bound(address, port, sharing: false)
        guard listen(probe, 1) == 0 else { throw failure(address, port, closing: [probe]) }
        close(probe)
    }

    /// The port a socket is bound to; zero when the system does not report it.
    static func port(of socket: Int32) -> UInt16 {
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe getsockname(socket, UnsafeMutableRawPointer(storage).assumingMemoryBound(to: sockaddr.self), &length)
        }
        // Family and port have the same offsets in IPv4 and IPv6 socket addresses.
        return result == 0 ? UInt16(bigEndian: storage.sin6_port) : 0
    }

    private static func bound(_ address: IPAddress, _ port: UInt16, sharing: Bool) throws(ServerFailure) -> Int32 {
        let family = address.isIPv4 ? AF_INET : AF_INET6
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = Glibc.socket(family, type, 0)
        guard socket >= 0 else { throw failure(address, port, closing: []) }
        enable(SO_REUSEADDR, on: socket)
        if sharing { enable(SO_REUSEPORT, on: socket) }
        let result = address.isIPv4 ? bind4(socket, address, port) : bind6(socket, address, port)
        guard result == 0 else { throw failure(address, port, closing: [socket]) }
        return socket
    }

    private static func enable(_ option: Int32, on socket: Int32) {
        var yes: Int32 = 1
        unsafe setsockopt(socket, SOL_SOCKET, option, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func bind4(_ socket: Int32, _ address: IPAddress, _ port: UInt16) -> Int32 {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(truncatingIfNeeded: address.low).bigEndian
        return bind(socket, name)
    }

    private static func bind6(_ socket: Int32, _ address: IPAddress, _ port: UInt16) -> Int32 {
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = port.bigEndian
        name.sin6_addr = address.octets
        return bind(socket, name)
    }

    private static func bind(_ socket: Int32, _ name: some Any) -> Int32 {
        unsafe withUnsafeBytes(of: name) { name in
            let start = unsafe name.assumingMemoryBound(to: sockaddr.self).baseAddress
            return unsafe Glibc.bind(socket, start, socklen_t(name.count))
        }
    }

    private static func failure(_ address: IPAddress, _ port: UInt16, closing sockets: [Int32]) -> ServerFailure {
        let error = errno
        for socket in sockets { close(socket) }
        if error == EADDRINUSE { return .portInUse(address: address, port: port) }
        return .cannotListen(address: address, port: port, errno: error)
    }
}
