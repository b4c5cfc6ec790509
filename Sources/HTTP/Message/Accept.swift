/// The media types that an `Accept` field requests (RFC 9110 section 12.5.1).
public struct Accept: Sendable {
    private let weights: [String: Double]

    /// - Parameter value: the value of the field; malformed members are ignored.
    public init(_ value: String?) { weights = WeightedList.weights(in: value) }

    /// Whether the client is a browser that shows a page rather than a program that reads JSON.
    ///
    /// Wildcards are ignored, because they come from programs that accept any type.
    public var prefersPage: Bool {
        guard let page = weights["text/html"], page > 0 else { return false }
        return page >= weights["application/json"] ?? 0
    }
}

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

/// The members of a field, with weights between 0 and 1 (RFC 9110 section 12.4.2).
private enum WeightedList {
    /// Number of members read, more than any browser or library sends; further ones are ignored.
    private static let memberLimit = 32

    /// The weights by member in lower case, without malformed members.
    static func weights(in value: String?) -> [String: Double] {
        var weights: [String: Double] = [:]
        let members = (value ?? "").utf8.split(separator: UInt8(ascii: ","), maxSplits: memberLimit)
        for member in members.prefix(memberLimit) {
            // Members are ASCII, so other text cannot name one.
            let parts = member.split(separator: UInt8(ascii: ";")).map { ASCII.word(ASCII.trim($0)) ?? "" }
            guard let name = parts.first, let weight = weight(of: parts.dropFirst()) else { continue }
            weights[name] = weight
        }
        return weights
    }

    private static func weight(of parameters: ArraySlice<String>) -> Double? {
        guard let given = parameters.first(where: { $0.hasPrefix("q=") }) else { return 1 }
        return Double(given.dropFirst(2)).flatMap { (0...1).contains($0) ? $0 : nil }
    }
}

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
