import HTTP
import Log

// The proxy before an installation that only this machine reaches by itself.
extension Settings {
    /// Whether users can come by a proxy alone, of which nothing was said: then all of them count as one address.
    var lacksTrustedProxy: Bool { address.isLoopback && !publicURL.isLoopback && trustedProxies.isEmpty }

    /// Says so at the start of a worker.
    func warnOfMissingProxy(_ log: Log) {
        guard lacksTrustedProxy else { return }
        log(
            .warning,
            "proxy.not-named",
            ("address", address.description),
            ("public-url", publicURL.text),
            ("cause", "all users count as one address; name the proxy with --trusted-proxy")
        )
    }
}
