/// Requests that a process temporarily refused since its start.
public struct RefusedRequests: Equatable, Sendable {
    /// Answered 429: the client has used up a limit.
    public var tooMany: Int
    /// Answered 503: no capacity, no database, or no time was left.
    public var unavailable: Int
    /// Uses that were refused, by the name of the rate limit.
    public var limited: [String: Int]

    public init(tooMany: Int = 0, unavailable: Int = 0, limited: [String: Int] = [:]) {
        (self.tooMany, self.unavailable, self.limited) = (tooMany, unavailable, limited)
    }

    /// As stored: `name=count` with commas between.
    var limitedText: String {
        limited.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
    }

    static func limited(_ text: String) -> [String: Int] {
        text.split(separator: ",").reduce(into: [:]) { counts, part in
            let pair = part.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { counts[String(pair[0])] = Int(pair[1]) }
        }
    }
}
