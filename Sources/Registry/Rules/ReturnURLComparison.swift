/// How a return URL that was sent differs from the nearest one that is registered.
public struct ReturnURLComparison: Hashable, Sendable {
    /// A part that is not the same, the most alike kinds first.
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
    /// Empty when both are the same octets.
    public let differences: [Difference]

    /// Compares `sent` with each of `registered`; nil when there is none.
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
