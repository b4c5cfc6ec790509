/// The media types that an `Accept` field requests (RFC 9110 section 12.5.1).
public struct Accept: Sendable {
    /// Number of members read, more than any browser or library sends; further ones are ignored.
    private static let memberLimit = 32

    private var weights: [String: Double] = [:]

    /// - Parameter value: the value of the field; malformed members are ignored.
    public init(_ value: String?) {
        let members = (value ?? "").utf8.split(separator: UInt8(ascii: ","), maxSplits: Self.memberLimit)
        for member in members.prefix(Self.memberLimit) {
            // A media type is ASCII, so other text cannot name one.
            let parts = member.split(separator: UInt8(ascii: ";")).map { ASCII.word(ASCII.trim($0)) ?? "" }
            guard let type = parts.first, let weight = Self.weight(of: parts.dropFirst()) else { continue }
            weights[type] = weight
        }
    }

    /// Whether the client is a browser that shows a page rather than a program that reads JSON.
    ///
    /// Wildcards are ignored, because they come from programs that accept any type.
    public var prefersPage: Bool {
        guard let page = weights["text/html"], page > 0 else { return false }
        return page >= weights["application/json"] ?? 0
    }

    private static func weight(of parameters: ArraySlice<String>) -> Double? {
        guard let given = parameters.first(where: { $0.hasPrefix("q=") }) else { return 1 }
        return Double(given.dropFirst(2)).flatMap { (0...1).contains($0) ? $0 : nil }
    }
}

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

/// A media type without its parameters (RFC 9110 section 8.3.1).
public struct MediaType: Sendable {
    private let essence: StaticString

    public init(_ essence: StaticString) { self.essence = essence }

    public static let form = MediaType("application/x-www-form-urlencoded")
    public static let multipart = MediaType("multipart/form-data")
    public static let json = MediaType("application/json")
    public static let text = MediaType("text/plain")

    /// Whether the value of a `Content-Type` field names this type, with any parameters.
    public func matches(_ contentType: String) -> Bool {
        let end = contentType.utf8.firstIndex(of: UInt8(ascii: ";")) ?? contentType.utf8.endIndex
        let named = ASCII.trim(contentType.utf8[..<end])
        return essence.withUTF8Buffer { unsafe ASCII.equalIgnoringCase($0, named) }
    }
}
