/// Where a server listens and how far its patience goes.
public struct ServerOptions: Sendable {
    /// The address it is bound to.
    public var address: IPAddress
    /// The port; zero lets the system choose one.
    public var port: UInt16
    /// Certificate and key in PEM, when the server speaks TLS itself.
    public var tls: ServerTLS?
    /// Sockets that listen already, one for each loop, which the servers take over; none has them open their own.
    ///
    /// Another process may hold the same ones: what waits in them is its to accept when these servers are gone.
    public var sockets: [Int32] = []
    /// Whose word on the client's address is taken.
    public var trustedProxies = TrustedProxies()

    /// Which hosts are answered, where another gets 421; all without a rule.
    public var hosts: HostRule?

    /// Connections of all loops together; then one of those who hold most of them makes room for a new one.
    public var connectionLimit = 4096
    /// Connections from one address of IPv4 or one network of 64 bits of IPv6, on all loops together; a further one
    /// is closed at once.
    ///
    /// Zero is no limit. Trusted proxies have none.
    public var connectionsPerAddress = 1024
    /// Connections from one site of IPv6, which are 65,536 such networks, on all loops together.
    ///
    /// Zero is no limit. Trusted proxies have none.
    public var connectionsPerSite = 2048
    /// Requests after which a connection is closed.
    public var requestsPerConnection = 100_000
    /// Requests of one loop that may wait for their answer at a time; a further one is answered 503.
    ///
    /// From half of them on an address has an eighth at most, and a site of IPv6 a quarter (`WaitingShares`).
    public var requestsUnderWay = 2048
    /// Octets of the request line and the header fields; a longer head is answered 431.
    public var headLimit = 16 * 1024

    /// Octets of bodies up to 16 KiB that one loop keeps at a time; a further one is answered 503.
    ///
    /// What as many connections as there may be can fill, so that no client alone keeps others out.
    public var shortBodyBudget = 64 << 20
    /// Octets of longer bodies that one loop keeps at a time, of which one client has a quarter (`BodyBudget`); a further
    /// one is answered 503.
    public var longBodyBudget = 8 << 20
    /// Octets of answers that one loop holds until their clients have taken them; beyond it those of the clients that hold
    /// most are given up.
    public var deliveryBudget = 64 << 20

    /// From the connection, or the last answer on it, until the next head is complete; so it bounds idle
    /// connections and slow heads alike.
    public var headTimeout: Duration = .seconds(15)
    /// From the head until the body is complete.
    public var bodyTimeout: Duration = .seconds(15)
    /// From the body until the handler has answered; then it is answered 503.
    ///
    /// For each piece of a streamed body too; then the connection is cut.
    public var answerTimeout: Duration = .seconds(30)
    /// From the answer, or a piece of it, until the client has taken it.
    public var sendTimeout: Duration = .seconds(30)

    public init(address: IPAddress, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// How often the time-outs are looked at: they end at most two of these late, never early.
    var sweepInterval: Duration {
        let shortest = min(headTimeout, bodyTimeout, answerTimeout, sendTimeout)
        return max(.milliseconds(10), min(.seconds(1), shortest / 4))
    }
}
