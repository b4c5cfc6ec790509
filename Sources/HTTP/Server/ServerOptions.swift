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

    /// From the connection's start until the first head is complete; it limits idle connections and slow heads alike.
    public var headTimeout: Duration = .seconds(15)
    /// The same from a response until the next head on the connection.
    public var keepAlive: Duration = .seconds(15)
    /// Both for a trusted proxy, which sends a request on a connection that it takes for open: longer than load balancers
    /// keep idle ones, which is ten minutes at most by their documentation (Google's).
    public var proxyKeepAlive: Duration = .seconds(620)
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
