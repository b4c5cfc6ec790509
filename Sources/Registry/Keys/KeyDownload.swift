/// The one download of an issued key's private half.
public enum KeyDownload: Sendable {
    /// The file's name and content, given out now and never again.
    case file(name: String, pem: String)
    /// It was downloaded before, belongs to a revoked key, or never was here.
    case gone
    /// It is here, but the master key that sealed it is not; nothing was used up.
    case unreadable
    /// The team has no such key.
    case notFound
}
