/// A file that came with a form (RFC 7578).
public struct Upload: Sendable {
    /// The name of its field.
    public let name: String
    /// What the browser calls the file and its type; neither says anything about its octets.
    public let fileName: String
    public internal(set) var octets: [UInt8]
}
