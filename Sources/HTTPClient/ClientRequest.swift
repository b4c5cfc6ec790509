/// A request to another server.
public struct ClientRequest: Sendable {
    /// The method; a token of RFC 9110.
    public var method: String
    /// The absolute address, `https` or `http`, without user and password.
    public var url: String
    /// Sent in this order; `User-Agent` and `Accept` are added unless they are here.
    public var fields: [(name: String, value: String)]
    public var body: [UInt8]
    /// From the call to the last octet of the answer, looking up the name and waiting for a turn and a connection
    /// included.
    public var deadline: Duration
    /// The longest body of an answer that is taken, in octets.
    public var bodyLimit: Int
    /// Which addresses may be connected to.
    public var addresses: AddressPolicy
    /// How many redirects are followed; each is checked like the first address.
    public var redirectLimit: Int
    /// Whether the answer brings the server's certificate; the connection is then a new one.
    public var asksForCertificate = false
    /// Whose call it is, where a client's callers take turns; nil for calls that wait for nobody.
    public var owner: String?

    public init(
        _ method: String = "GET",
        _ url: String,
        fields: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        deadline: Duration = .seconds(10),
        bodyLimit: Int = 1 << 20,
        addresses: AddressPolicy = .publicOnly,
        redirectLimit: Int = 0,
        owner: String? = nil
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
