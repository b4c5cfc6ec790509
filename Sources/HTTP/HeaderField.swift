/// One header field of a response.
///
/// A value with a control character is never sent: the server answers 500 in its place, so that text which
/// came from outside cannot start a second field.
public struct HeaderField: Equatable, Sendable {
    public let name: HeaderName
    public let value: String

    public init(_ name: HeaderName, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether the value can stand in a field line (RFC 9110 section 5.5).
    var isSendable: Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
