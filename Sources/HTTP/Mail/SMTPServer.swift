/// A mail server: `smtp://[user:password@]host[:port]`, or `smtps://` for TLS from the first octet.
///
/// With `smtp://` the connection is encrypted with STARTTLS when the server offers it, whatever its certificate (RFC
/// 7435). With a password or an authority, encryption and a trusted certificate are required (RFC 8314 section 4.1); a
/// password alone does not require them of a server on this machine.
public struct SMTPServer: Sendable {
    /// The URL without user and password, which logs and pages may show.
    public let address: String
    let user: String?
    let password: String?
    /// Certificates in PEM of the authorities to trust; nil for the system's.
    let authority: String?
    private let isSecure: Bool

    /// Whether the server is to log in.
    public var hasPassword: Bool { user != nil }

    /// Whether a connection that is not encrypted is refused.
    let mustEncrypt: Bool

    /// Whether the certificate must be trusted.
    var mustTrust: Bool { mustEncrypt || isSecure }

    /// Parses the URL; nil when it does not have this form.
    public init?(_ url: String, authority: String? = nil) {
        guard let url = ServerURL(url, schemes: ["smtp://", "smtps://"]) else { return nil }
        (address, user, password, self.authority) = (url.address, url.user, url.password, authority)
        isSecure = url.address.hasPrefix("smtps://")
        mustEncrypt = authority != nil || url.user != nil && RequestHost(of: url.address)?.isLoopback != true
    }
}
