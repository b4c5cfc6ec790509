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

/// The members of a field, with weights between 0 and 1 (RFC 9110 section 12.4.2).
enum WeightedList {
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
