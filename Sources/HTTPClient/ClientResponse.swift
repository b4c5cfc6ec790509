/// What another server answered.
public struct ClientResponse: Sendable {
    public let status: Int
    /// In the order they came, names as they came.
    public let fields: [(name: String, value: String)]
    public let body: [UInt8]

    /// The first value of a field, whatever the case of its name.
    public subscript(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
