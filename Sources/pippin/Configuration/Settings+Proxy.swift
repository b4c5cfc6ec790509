import HTTP
import Log

// The proxy in front of an installation that listens on loopback only.
extension Settings {
    /// Whether users can connect only through a proxy that is not configured, so that all count as one address.
    var lacksTrustedProxy: Bool { address.isLoopback && !publicURL.isLoopback && trustedProxies.isEmpty }

    /// Logs a warning at the start of a worker if the proxy is not configured.
    func warnOfMissingProxy(_ log: Log) {
        guard lacksTrustedProxy else { return }
        log(
            .warning, "proxy.undeclared", ("address", address.description), ("public-url", publicURL.text),
            ("cause", "all users count as one address; name the proxy with --trusted-proxy"))
    }
}
