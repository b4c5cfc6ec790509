/// A content coding in which an asset may be stored (RFC 9110 section 8.4.1).
enum ContentCoding: String, CaseIterable, Sendable {
    /// First, because the order of the cases is the order of preference.
    case brotli = "br"
    case gzip

    /// Number of members read, more than any browser or library sends; further ones are ignored.
    private static let memberLimit = 32

    /// The codings that an `Accept-Encoding` value allows with a weight above zero (RFC 9110 section 12.5.3).
    static func accepted(by value: String?) -> Set<ContentCoding> {
        guard let value else { return [] }
        var named: [String: Bool] = [:]
        for entry in value.utf8.split(separator: UInt8(ascii: ","), maxSplits: memberLimit).prefix(memberLimit) {
            let parts = entry.split(separator: UInt8(ascii: ";")).map { ASCII.word(ASCII.trim($0)) ?? "" }
            guard let name = parts.first else { continue }
            named[name] = !parts.dropFirst().contains(where: isZeroWeight)
        }
        return Set(allCases.filter { named[$0.rawValue] ?? named["*"] ?? false })
    }

    private static func isZeroWeight(_ parameter: String) -> Bool {
        guard parameter.hasPrefix("q=") else { return false }
        return parameter.utf8.dropFirst(2).allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }
    }
}
