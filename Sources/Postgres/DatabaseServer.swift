import Glibc

/// One server that a connection string names, for one attempt to connect.
///
/// libpq tries several hosts by itself, but counts `connect_timeout` only where it blocks: behind a host that accepts
/// and says nothing it never reaches the next one. So it gets one at a time.
struct DatabaseServer: Hashable, Sendable {
    /// Name, address, or folder of a Unix socket; empty for libpq's default.
    var host = ""
    /// The address to connect to; nil for a Unix socket, and for a name that has not been looked up.
    var address: String?
    var port: String?

    /// Creates the server of one element of a connection string's lists.
    init(host: String = "", address: String? = nil, port: String? = nil) {
        (self.host, self.address, self.port) = (host, address, port)
        if address == nil, Self.isNumeric(host) { self.address = host }
    }

    /// Whether the host is a name that has to be looked up, which blocks.
    var isName: Bool { address == nil && !host.isEmpty && !host.hasPrefix("/") && !host.hasPrefix("@") }

    /// Whether the other server is an address of this name.
    func isName(of other: Self?) -> Bool { isName && host == other?.host && port == other?.port }

    /// Connection parameters that name this server alone.
    var options: [(key: String, value: String)] {
        [("host", host), ("hostaddr", address ?? ""), ("port", port ?? "")].filter { !$0.value.isEmpty }
    }

    /// One server for each address of a name, in the order of preference of the system; itself if it is no name.
    ///
    /// Blocks while the name is looked up.
    func lookUp() throws(DatabaseServerFailure) -> [Self] {
        guard isName else { return [self] }
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, nil, &hints, &first)
        defer { if let first = unsafe first { unsafe freeaddrinfo(first) } }
        guard status == 0 else {
            throw DatabaseServerFailure("\(host): \(unsafe String(cString: gai_strerror(status)))")
        }
        var servers: [Self] = []
        var next = unsafe first
        while let info = unsafe next?.pointee {
            var text = [UInt8](repeating: 0, count: Int(NI_MAXHOST))
            let status = unsafe text.withUnsafeMutableBytes { buffer in
                let text = unsafe buffer.assumingMemoryBound(to: CChar.self)
                return unsafe getnameinfo(
                    info.ai_addr, info.ai_addrlen, text.baseAddress, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            }
            if status == 0 {
                let address = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
                servers.append(Self(host: host, address: address, port: port))
            }
            unsafe next = info.ai_next
        }
        return servers
    }

    private static func isNumeric(_ host: String) -> Bool {
        var address = in6_addr()
        return unsafe inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
    }
}

extension DatabaseServer: CustomStringConvertible {
    var description: String {
        let place = host.isEmpty ? "the local socket" : host
        guard let address, address != host else { return port.map { "\(place):\($0)" } ?? place }
        return "\(place) (\(address))" + (port.map { ":\($0)" } ?? "")
    }
}

/// Why no server could be found.
struct DatabaseServerFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
