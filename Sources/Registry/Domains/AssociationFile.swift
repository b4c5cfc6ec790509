/// The file that proves who runs a domain: issued here, served there.
public struct AssociationFile: Hashable, Sendable {
    /// Where the domain serves it; Apple's path, so that a site has one for both.
    public static let path = "/.well-known/apple-developer-domain-association.txt"
    public static let name = "apple-developer-domain-association.txt"

    /// Its content, octet for octet, without a line end.
    public let content: String

    /// - Parameter token: random, of this team and domain.
    init(token: String) {
        content = "pippin-domain-association=\(token)"
    }
}

extension DomainName {
    /// Where Pippin asks for the file.
    ///
    /// A loopback address has no web server at the usual port, so it is asked at the port of the first return URL
    /// that lies on it.
    ///
    /// - Parameter returnURLs: those of the Service IDs that name the domain.
    public func associationURL(_ returnURLs: [ReturnURL]) -> String {
        guard case .loopback? = try? Host(text) else { return "https://\(text)\(AssociationFile.path)" }
        let origins = ["http://\(text):", "http://\(text)/"]
        let known = returnURLs.first { url in origins.contains { url.text.hasPrefix($0) } }
        guard let known else { return "http://\(text)\(AssociationFile.path)" }
        let authority = known.text.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" }
        return "http://\(authority)\(AssociationFile.path)"
    }
}
