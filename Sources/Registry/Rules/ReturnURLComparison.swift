/// Differences between a return URL in a request and the most similar registered one.
public struct ReturnURLComparison: Hashable, Sendable {
    /// A part that differs, from the smallest difference to the greatest.
    public enum Difference: Int, Hashable, Sendable, CaseIterable {
        case trailingSlash = 1
        case letterCase
        case percentEncoding
        case www
        case scheme
        case port
        case query
        case fragment
        case path
        case host
    }

    public let nearest: ReturnURL
    /// Empty when both are equal byte for byte.
    public let differences: [Difference]

    /// Compares `sent` with each of `registered`; nil when `registered` is empty.
    public init?(_ sent: String, with registered: [ReturnURL]) {
        let sent = URLParts(sent)
        var best: (url: ReturnURL, differences: [Difference], distance: Int)?
        for url in registered {
            let differences = sent.differences(from: URLParts(url.text))
            let distance = differences.reduce(0) { $0 + 1 << $1.rawValue }
            if let best, best.distance <= distance { continue }
            best = (url, differences, distance)
        }
        guard let best else { return nil }
        nearest = best.url
        differences = best.differences
    }
}
