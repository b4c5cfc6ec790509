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
