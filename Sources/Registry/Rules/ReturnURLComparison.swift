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

    /// For a sentence that begins with the URL that was sent, such as `differs only by a trailing slash`.
    public var explanation: String {
        let names = differences.map(\.name)
        switch differences.count {
        case 0: return "is registered"
        case 1: return "differs only by \(names[0])"
        default: return "differs by \(Self.list(names))"
        }
    }

    private static func list(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }
}

extension ReturnURLComparison.Difference {
    /// With its article.
    public var name: String {
        switch self {
        case .trailingSlash: "a trailing slash"
        case .letterCase: "upper and lower case"
        case .percentEncoding: "percent-encoding"
        case .www: "www. before the host"
        case .scheme: "the scheme"
        case .port: "the port"
        case .query: "the query"
        case .fragment: "a fragment"
        case .path: "the path"
        case .host: "the host"
        }
    }
}
