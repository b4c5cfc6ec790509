/// A proxy that opens the connections of requests: `http://[user:password@]host:port` (RFC 9110 section 9.3.6, CONNECT).
///
/// It, not this machine, resolves the names of servers. So the address policy can judge names alone, and the proxy has to
/// refuse addresses. Requests to this machine itself do not take it.
public struct OutgoingProxy: Sendable {
    /// The URL without user and password, which logs and pages may show.
    public let address: String
    let user: String?
    let password: String?

    /// Parses the URL; nil when it does not have this form.
    public init?(_ url: String) {
        guard let url = ServerURL(url, schemes: ["http://"]), url.hasPort else { return nil }
        (address, user, password) = (url.address, url.user, url.password)
    }
}
