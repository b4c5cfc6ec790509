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
