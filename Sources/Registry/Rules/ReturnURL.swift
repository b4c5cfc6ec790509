/// A return URL of a Service ID (`redirect_uri`), compared byte for byte and stored unchanged.
public struct ReturnURL: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// Parses a URL whose host is one of `domains` or below one; nil checks only the other rules.
    ///
    /// - Throws: `ValidationError` with the first rule that the text breaks.
    init(parsing text: String, on domains: [DomainName]?, policy: HostPolicy) throws(ValidationError) {
        let address = try WebAddress(parsing: text, policy: policy)
        if let domains, !domains.contains(where: { $0.covers(address.host) }) {
            throw .outsideDomains(host: address.host.text)
        }
        self.text = text
    }

    /// A stored URL, which was parsed before.
    public init(stored text: String) { self.text = text }

    public var description: String { text }
}

extension ReturnURL {
    /// The registered URLs of `texts` whose host is neither a verified domain nor below one.
    public static func unproven(_ texts: [String], verified: [String]) -> [String] {
        let domains = verified.map(DomainName.init(stored:))
        return texts.filter { text in
            let address = try? WebAddress(parsing: text, policy: .hostNamesAndLoopback)
            return !domains.contains { domain in address.map { domain.covers($0.host) } ?? false }
        }
    }
}
