/// A request to another server.
public struct ClientRequest: Sendable {
    /// The method, a token (RFC 9110).
    public var method: String
    /// The absolute URL, `https` or `http`, without user and password.
    public var url: String
    /// Header fields in the order they are sent; `User-Agent` and `Accept` are added when missing.
    public var fields: [(name: String, value: String)]
    public var body: [UInt8]
    /// Time limit from the call to the last octet of the response, including the name look-up and the waits for a place
    /// and a connection.
    public var deadline: Duration
    /// The longest response body that is accepted, in octets.
    public var bodyLimit: Int
    /// The addresses that the request may connect to.
    public var addresses: AddressPolicy
    /// Maximum number of redirects that are followed; each is checked like the first address.
    public var redirectLimit: Int
    /// Whether the response includes the server's certificate; the connection is then a new one.
    public var asksForCertificate = false
    /// Owner of the call in the client's call queue; nil for a call that bypasses the queue.
    public var owner: String?

    public init(
        _ method: String = "GET", _ url: String, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
        deadline: Duration = .seconds(10), bodyLimit: Int = 1 << 20, addresses: AddressPolicy = .publicOnly,
        redirectLimit: Int = 0, owner: String? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.deadline = deadline
        self.bodyLimit = bodyLimit
        self.addresses = addresses
        self.redirectLimit = redirectLimit
        self.owner = owner
    }
}
