internal import Bytes

/// A header field of a response.
///
/// A value with a control character is never sent: the server responds with 500 instead, so that untrusted text cannot
/// start a second field.
public struct HeaderField: Equatable, Sendable {
    public let name: HeaderName
    public let value: String

    public init(_ name: HeaderName, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether the value may stand in a field line (RFC 9110 section 5.5).
    var isSendable: Bool { value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}

extension String {
    /// Decodes the value of a header field, which may be any octets (RFC 9110 section 5.5).
    ///
    /// In a value that is not stream-safe text, every octet beyond ASCII becomes a question mark, so that no later
    /// operation on it costs more than its length.
    init(fieldValue octets: some Collection<UInt8>) {
        let text = String(decoding: octets, as: UTF8.self)
        self =
            text.isStreamSafe
            ? text : String(decoding: octets.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
