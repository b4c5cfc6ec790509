import HTTP

/// Limits of a process's connections, derived from its limit of file descriptors.
struct ServerLimits {
    /// Descriptors per loop for connections to the database, to Apple, and for mail and lookups.
    private static let reservePerLoop = 216
    /// Descriptors for 64 checks and 64 notifications to servers of teams, for the log, files, and libraries.
    private static let reserve = 192
    private static let connectionsPerLoop = 4096
    /// Minimum number of connections, however few descriptors there are.
    private static let fewest = 16
    /// An IPv6 site's limit in units of an address's limit; half of all connections at most.
    private static let addressesPerSite = 16

    let connections: Int
    let perAddress: Int
    /// Maximum of an IPv6 site (/48): a household or a company, but for some providers many phones.
    let perSite: Int

    /// - Parameters:
    ///   - descriptors: maximum number of file descriptors of this process.
    ///   - chosen: maximum number of connections per address; nil for a quarter of all.
    init(descriptors: Int, loops: Int, perAddress chosen: Int? = nil) {
        let kept = min(Self.reserve + loops * Self.reservePerLoop, descriptors / 2)
        connections = max(Self.fewest, min(loops * Self.connectionsPerLoop, descriptors - kept))
        perAddress = chosen ?? max(Self.fewest, connections / 4)
        perSite = max(perAddress, min(Self.addressesPerSite * perAddress, connections / 2))
    }
}

extension Settings {
    /// Options of the HTTP servers.
    ///
    /// - Throws: `CommandFailure` if the certificate or key cannot be read.
    func serverOptions(loops: Int) throws(CommandFailure) -> ServerOptions {
        var options = ServerOptions(address: address, port: port)
        options.trustedProxies = trustedProxies
        if let tls { options.tls = try TLSFiles.read(tls) }
        let limits = ServerLimits(descriptors: Descriptors.limit, loops: loops, perAddress: connectionsPerAddress)
        options.connectionLimit = limits.connections
        options.connectionsPerAddress = limits.perAddress
        options.connectionsPerSite = limits.perSite
        if publicURL.isLoopback { options.hosts = HostRule(local: publicURL.host) }
        return options
    }
}
