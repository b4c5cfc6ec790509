internal import Bytes

extension String {
    /// The value of a field of a message's head, of which RFC 9110 section 5.5 promises nothing but octets.
    ///
    /// Every octet beyond ASCII becomes a question mark in a value that is no stream-safe text: what nobody can rely on
    /// must not cost more than its length.
    init(fieldValue octets: some Collection<UInt8>) {
        let text = String(decoding: octets, as: UTF8.self)
        self =
            text.isStreamSafe
            ? text : String(decoding: octets.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
