import HTTP

/// How many connections a process takes, by what its system lets it have.
struct ServerLimits {
    /// For each loop: its connections to the database, to Apple and to others that it calls, its mail and its look-ups.
    private static let reservePerLoop = 128
    /// For the log, files, and whatever a library opens.
    private static let reserve = 64
    private static let connectionsPerLoop = 4096
    /// What is always taken, however little there is.
    private static let fewest = 16
    /// How many addresses' allowances a site of IPv6 has together, within half of all.
    private static let addressesPerSite = 16

    let connections: Int
    let perAddress: Int
    /// Of a site of IPv6 (/48): a household or a company, but for some providers many phones.
    let perSite: Int

    /// - Parameters:
    ///   - descriptors: how many this process may have.
    ///   - chosen: how many connections one address may have; nil for a quarter of them all.
    init(descriptors: Int, loops: Int, perAddress chosen: Int? = nil) {
        let kept = min(Self.reserve + loops * Self.reservePerLoop, descriptors / 2)
        connections = max(Self.fewest, min(loops * Self.connectionsPerLoop, descriptors - kept))
        perAddress = chosen ?? max(Self.fewest, connections / 4)
        perSite = max(perAddress, min(Self.addressesPerSite * perAddress, connections / 2))
    }
}

extension Settings {
    /// How the servers of this installation behave.
    ///
    /// - Throws: `CommandFailure`, when certificate or key cannot be read.
    func serverOptions(loops: Int) throws(CommandFailure) -> ServerOptions {
        var options = ServerOptions(address: address, port: port)
        options.trustedProxies = trustedProxies
        if let tls { options.tls = try TLSFiles.read(tls) }
        let limits = ServerLimits(
            descriptors: Descriptors.limit,
            loops: loops,
            perAddress: connectionsPerAddress
        )
        options.connectionLimit = limits.connections
        options.connectionsPerAddress = limits.perAddress
        options.connectionsPerSite = limits.perSite
        if publicURL.isLoopback { options.hosts = HostRule(local: publicURL.host) }
        return options
    }
}
