/// A media type without its parameters (RFC 9110 section 8.3.1).
public struct MediaType: Sendable {
    private let essence: StaticString

    public init(_ essence: StaticString) { self.essence = essence }

    public static let form = MediaType("application/x-www-form-urlencoded")
    public static let multipart = MediaType("multipart/form-data")
    public static let json = MediaType("application/json")

    /// Whether the value of a `Content-Type` field names this type, with any parameters.
    public func matches(_ contentType: String) -> Bool {
        let end = contentType.utf8.firstIndex(of: UInt8(ascii: ";")) ?? contentType.utf8.endIndex
        let named = ASCII.trim(contentType.utf8[..<end])
        return essence.withUTF8Buffer { unsafe ASCII.equalIgnoringCase($0, named) }
    }
}
