/// A file uploaded with a form (RFC 7578).
public struct Upload: Sendable {
    /// The name of its form field.
    public let name: String
    /// The file name the browser sends, which does not indicate the actual content.
    public let fileName: String
    public internal(set) var octets: [UInt8]
}
