/// A mail server: `smtp://[user:password@]host[:port]`, or `smtps://` for TLS from the first octet.
///
/// With `smtp://` the connection is encrypted with STARTTLS when the server offers it; with a password encryption is
/// required, unless the server is on this machine (RFC 8314 section 4.1).
public struct SMTPServer: Sendable {
    /// The URL without user and password, which logs and pages may show.
    public let address: String
    let user: String?
    let password: String?
    let mustEncrypt: Bool

    /// Parses the URL; nil when it does not have this form.
    public init?(_ url: String) {
        guard let url = ServerURL(url, schemes: ["smtp://", "smtps://"]) else { return nil }
        (address, user, password) = (url.address, url.user, url.password)
        mustEncrypt = url.user != nil && !url.isHere
    }
}
