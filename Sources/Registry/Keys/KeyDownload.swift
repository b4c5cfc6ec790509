/// Result of the only download of an issued key's private key.
public enum KeyDownload: Sendable {
    /// The file's name and content, returned only once.
    case file(name: String, pem: String)
    /// The private key was downloaded before, belongs to a revoked key, or was never stored.
    case gone
    /// The master key that encrypted the private key is missing; the download remains possible.
    case unreadable
    /// The team has no such key.
    case notFound
}
