/// Where a person may be sent back to: matched byte for byte, so it is kept byte for byte.
public struct ReturnURL: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// Parses a URL that lies on one of `domains` or below one; nil asks after the other rules alone.
    ///
    /// - Throws: `Refusal` with the first rule that it breaks.
    init(parsing text: String, on domains: [DomainName]?, policy: AddressPolicy) throws(Refusal) {
        let address = try WebAddress(parsing: text, policy: policy)
        if let domains, !domains.contains(where: { $0.covers(address.host) }) {
            throw .outsideDomains(host: address.host.text)
        }
        self.text = text
    }

    /// A URL that was parsed when it was stored.
    public init(stored text: String) {
        self.text = text
    }

    public var description: String { text }
}

extension ReturnURL {
    /// Those of `texts`, registered as they are, that lie on none of the verified domains nor below one.
    public static func unproven(_ texts: [String], verified: [String]) -> [String] {
        let domains = verified.map(DomainName.init(stored:))
        return texts.filter { text in
            let address = try? WebAddress(parsing: text, policy: .hostNamesAndLoopback)
            return !domains.contains { domain in address.map { domain.covers($0.host) } ?? false }
        }
    }
}
