/// The response of another server.
public struct ClientResponse: Sendable {
    public let status: Int
    /// Header fields in the order received, with names as received; in ASCII, with question marks for other octets.
    public let fields: [(name: String, value: String)]
    public let body: [UInt8]
    /// The server's certificate in PEM, when the request asked for it and the connection was encrypted.
    public var certificate: String?

    /// The first value of a field; its name is case-insensitive.
    public subscript(_ name: String) -> String? {
        fields.first { ASCII.equalIgnoringCase($0.name.utf8, name.utf8) }?.value
    }
}
