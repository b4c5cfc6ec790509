/// Where a server listens and how far its patience goes.
public struct ServerOptions: Sendable {
    /// The address it is bound to.
    public var address: IPAddress
    /// The port; zero lets the system choose one.
    public var port: UInt16
    /// Certificate and key in PEM, when the server speaks TLS itself.
    public var tls: ServerTLS?
    /// Whose word on the client's address is taken.
    public var trustedProxies = TrustedProxies()

    /// Connections of one loop; a further one is closed at once.
    public var connectionLimit = 4096
    /// Connections from one address on one loop; zero is no limit, as behind a proxy.
    public var connectionsPerAddress = 0
    /// Requests after which a connection is closed.
    public var requestsPerConnection = 100_000
    /// Requests of one loop that may wait for their answer at a time; a further one is answered 503.
    public var requestsUnderWay = 2048
    /// Octets of the request line and the header fields; a longer head is answered 431.
    public var headLimit = 16 * 1024

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

/// A certificate chain and its private key, both PEM text.
public struct ServerTLS: Sendable {
    let certificate: String
    let key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
