/// File that proves control of a domain: issued by Pippin, served by the domain's web server.
public struct AssociationFile: Hashable, Sendable {
    /// Path of the file on the domain; it is Apple's path, so that a website needs only one.
    public static let path = "/.well-known/apple-developer-domain-association.txt"
    public static let name = "apple-developer-domain-association.txt"

    /// Exact content, without a line end.
    public let content: String

    /// - Parameter token: a random token of this team and domain.
    init(token: String) { content = "pippin-domain-association=\(token)" }
}

extension DomainName {
    /// The URL from which Pippin requests the file.
    ///
    /// A loopback address has no web server at the default port, so the port of the first return URL on it is used.
    ///
    /// - Parameter returnURLs: the return URLs of the Service IDs that name the domain.
    public func associationURL(_ returnURLs: [ReturnURL]) -> String {
        guard case .loopback? = try? Host(text) else { return "https://\(text)\(AssociationFile.path)" }
        let origins = ["http://\(text):", "http://\(text)/"]
        let known = returnURLs.first { url in origins.contains { url.text.hasPrefix($0) } }
        guard let known else { return "http://\(text)\(AssociationFile.path)" }
        let authority = known.text.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" }
        return "http://\(authority)\(AssociationFile.path)"
    }
}
