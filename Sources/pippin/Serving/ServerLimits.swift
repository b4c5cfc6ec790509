import CLinux
import Glibc
import HTTP
import Synchronization

/// Limits of a process's connections, derived from its limit of file descriptors.
struct ServerLimits {
    /// Descriptors per loop for connections to the database, to Apple, and for mail and lookups.
    private static let reservePerLoop = 216
    /// Descriptors for 64 checks and 64 notifications to servers of teams, for the log, files, and libraries.
    private static let reserve = 192
    private static let connectionsPerLoop = 4096
    /// Minimum number of connections, however few descriptors there are.
    private static let fewest = 16

    let connections: Int
    /// Maximum in flight of one client's network.
    let perNetwork: Int

    /// - Parameters:
    ///   - descriptors: maximum number of file descriptors of this process.
    ///   - chosen: maximum of one network; nil for a quarter of all.
    init(descriptors: Int, loops: Int, perNetwork chosen: Int? = nil) {
        let kept = min(Self.reserve + loops * Self.reservePerLoop, descriptors / 2)
        connections = max(Self.fewest, min(loops * Self.connectionsPerLoop, descriptors - kept))
        perNetwork = chosen ?? max(Self.fewest, connections / 4)
    }
}

extension Settings {
    /// Options of the HTTP servers.
    ///
    /// - Throws: `CommandFailure` if the certificate or key cannot be read.
    func serverOptions(loops: Int) throws(CommandFailure) -> ServerOptions {
        var options = ServerOptions(address: address, port: port)
        options.trustedProxies = trustedProxies
        if let keepAlive { (options.keepAlive, options.proxyKeepAlive) = (keepAlive, keepAlive) }
        if let tls { options.tls = try TLSFiles.read(tls) }
        let limits = ServerLimits(descriptors: Descriptors.limit, loops: loops, perNetwork: connectionsPerAddress)
        options.connectionLimit = limits.connections
        options.inFlightPerNetwork = limits.perNetwork
        if publicURL.isLoopback { options.hosts = HostRule(local: publicURL.host) }
        return options
    }
}

/// File descriptors of this process.
enum Descriptors {
    /// Upper bound for the limit, because some systems allow a billion and tables are sized by the limit.
    private static let most = 1 << 19

    /// Raises the soft limit (RLIMIT_NOFILE, getrlimit(2)) as far as the system allows.
    ///
    /// The default of 1,024 is for programs that use select(2), which Pippin does not.
    static func raiseLimit() { pippin_raise_descriptor_limit(UInt(most)) }

    /// Maximum number of open descriptors.
    static var limit: Int { Int(Int32(clamping: pippin_descriptor_limit())) }

    /// Number of open descriptors; the limit if no descriptor is left to count them with.
    static var count: Int {
        guard let folder = unsafe opendir("/proc/self/fd") else { return limit }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        // Without the entries "." and "..", and the descriptor that reads the directory.
        return max(0, count - 3)
    }
}
