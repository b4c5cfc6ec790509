import Core

/// A return URL of a Service ID (`redirect_uri`), compared byte for byte and stored unchanged.
public struct ReturnURL: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// Parses a URL whose host is one of `domains` or below one; nil checks only the other rules.
    ///
    /// - Throws: `ValidationError` with the first rule that the text breaks.
    init(parsing text: String, on domains: [DomainName]?, policy: HostPolicy) throws(ValidationError) {
        let address = try WebAddress(parsing: text, policy: policy, isOpenedByBrowsers: true)
        if let domains, !domains.contains(where: { $0.covers(address.host) }) {
            throw .outsideDomains(host: address.host.text)
        }
        self.text = text
    }

    /// A stored URL, which was parsed before.
    public init(stored text: String) { self.text = text }

    public var description: String { text }
}

/// The parts of any text read as a URL (RFC 3986 appendix B), for comparison; no text is rejected.
struct URLParts {
    private let scheme: Substring
    private let host: Substring
    private let port: Substring
    private let path: Substring
    private let query: Substring?
    private let fragment: Substring?

    init(_ text: String) {
        let (beforeFragment, fragment) = Self.cut(text[...], at: "#")
        let (beforeQuery, query) = Self.cut(beforeFragment, at: "?")
        var rest = beforeQuery
        if let colon = rest.firstIndex(of: ":"), rest[colon...].hasPrefix("://") {
            scheme = rest[..<colon]
            rest = rest[colon...].dropFirst(3)
        } else {
            scheme = ""
        }
        let authority = rest.prefix { $0 != "/" }
        path = rest.dropFirst(authority.count)
        let (name, port) = Self.cut(authority, at: ":")
        host = name
        self.port = port ?? Self.defaultPort(of: scheme)
        (self.query, self.fragment) = (query, fragment)
    }

    /// The parts that differ, from the smallest difference to the greatest.
    func differences(from other: URLParts) -> [ReturnURLComparison.Difference] {
        var found: Set<ReturnURLComparison.Difference> = []
        if scheme != other.scheme { found.insert(Self.sameLetters(scheme, other.scheme) ? .letterCase : .scheme) }
        if let difference = Self.compare(host: host, other.host) { found.insert(difference) }
        // The default port of each scheme is a consequence of the scheme, not a difference of its own.
        let bothDefault = port == Self.defaultPort(of: scheme) && other.port == Self.defaultPort(of: other.scheme)
        if port != other.port, !bothDefault { found.insert(.port) }
        found.formUnion(Self.compare(path: path, other.path))
        if query != other.query { found.insert(.query) }
        if fragment != other.fragment { found.insert(.fragment) }
        return ReturnURLComparison.Difference.allCases.filter(found.contains)
    }

    private static func compare(host: Substring, _ other: Substring) -> ReturnURLComparison.Difference? {
        if host == other { return nil }
        if sameLetters(host, other) { return .letterCase }
        let names = [host, other].map { $0.lowercased() }
        return names[0] == "www." + names[1] || names[1] == "www." + names[0] ? .www : .host
    }

    private static func compare(path: Substring, _ other: Substring) -> [ReturnURLComparison.Difference] {
        if path == other { return [] }
        let (bare, otherBare) = (withoutSlash(path), withoutSlash(other))
        let slash: [ReturnURLComparison.Difference] =
            path.hasSuffix("/") == other.hasSuffix("/") ? [] : [.trailingSlash]
        if bare == otherBare { return slash }
        if sameLetters(bare, otherBare) { return slash + [.letterCase] }
        if let decoded = PercentCoding.decode(bare.utf8), decoded == PercentCoding.decode(otherBare.utf8) {
            return slash + [.percentEncoding]
        }
        return [.path]
    }

    private static func cut(_ text: Substring, at mark: Unicode.Scalar) -> (Substring, Substring?) {
        guard let index = text.utf8.firstIndex(of: UInt8(ascii: mark)) else { return (text, nil) }
        return (text[..<index], text[text.utf8.index(after: index)...])
    }

    private static func withoutSlash(_ path: Substring) -> Substring { path.hasSuffix("/") ? path.dropLast() : path }

    private static func sameLetters(_ left: Substring, _ right: Substring) -> Bool {
        left.lowercased() == right.lowercased()
    }

    private static func defaultPort(of scheme: Substring) -> Substring {
        switch scheme.lowercased() {
        case "https": "443"
        case "http": "80"
        default: ""
        }
    }
}

extension ServiceID {
    /// The return URLs whose host is neither one of `domains` nor below one.
    public func unprovenURLs(by domains: [DomainName]) -> [ReturnURL] {
        settings.returnURLs.filter { url in
            let address = try? WebAddress(parsing: url.text, policy: .hostNamesAndLoopback)
            return !domains.contains { domain in address.map { domain.covers($0.host) } ?? false }
        }
    }
}

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
