/// A content coding in which an asset may be stored (RFC 9110 section 8.4.1).
enum ContentCoding: String, CaseIterable, Sendable {
    /// First, because the order of the cases is the order of preference.
    case brotli = "br"
    case gzip

    /// The codings that an `Accept-Encoding` value allows with a weight above zero (RFC 9110 section 12.5.3).
    static func accepted(by value: String?) -> Set<ContentCoding> {
        let weights = WeightedList.weights(in: value)
        return Set(allCases.filter { weights[$0.rawValue] ?? weights["*"] ?? 0 > 0 })
    }
}
