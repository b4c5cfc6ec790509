/// What another server answered.
public struct ClientResponse: Sendable {
    public let status: Int
    /// In the order they came, names as they came; in ASCII, with question marks for other octets.
    public let fields: [(name: String, value: String)]
    public let body: [UInt8]
    /// The server's certificate in PEM, where the request asked for it and the connection was encrypted.
    public var certificate: String?

    /// The first value of a field, whatever the case of its name.
    public subscript(_ name: String) -> String? {
        fields.first { AnswerHead.isSame($0.name, name) }?.value
    }
}
