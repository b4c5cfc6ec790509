import EventLoop
import Postgres

/// The connections of an installation to its database.
struct Databases: Sendable {
    let servers: DatabaseServers
    /// Pool that looks up the database's host name; nil if it has none.
    var lookups: BlockingPool?
    /// Connections of each loop; nil for the usual number.
    private var connectionsPerLoop: Int?
    /// Time limit of statements and of calls to other servers; nil for their usual ones.
    var timeout: Duration?

    /// - Parameters:
    ///   - loops: number of loops that share the connections.
    ///   - connections: of all loops and the registry watch; nil for the usual number for each loop.
    init(_ conninfo: String, loops: Int = 1, connections: Int? = nil) {
        servers = DatabaseServers(conninfo)
        connectionsPerLoop = connections.map { ($0 - watching.connections) / loops }
    }

    init(_ installation: Installation, _ pools: Pools, loops: Int, timeout: Duration?) {
        self.init(installation.conninfo, loops: loops, connections: installation.settings.databaseConnections)
        // The private PostgreSQL is reached over a Unix socket, without a host name.
        lookups = installation.cluster == nil ? pools.lookups : nil
        self.timeout = timeout
    }

    /// Access to the rows of one team at a time.
    var app: DatabaseConfiguration { shrunk(configuration("pippin_app")) }

    /// Access to rows that belong to no team.
    var system: DatabaseConfiguration {
        var few = configuration("pippin_system")
        (few.shared, few.exclusive, few.searching) = (2, 1, 0)
        return shrunk(few)
    }

    /// The configuration with its share of the connections of a loop, in the usual proportions, but one for each purpose.
    private func shrunk(_ usual: DatabaseConfiguration) -> DatabaseConfiguration {
        guard let connectionsPerLoop else { return usual }
        var configuration = usual
        let extra = (usual: Self.usualPerLoop - Self.fewestPerLoop, given: connectionsPerLoop - Self.fewestPerLoop)
        for pool in [\DatabaseConfiguration.shared, \.exclusive, \.lockWaitPool, \.searching]
        where usual[keyPath: pool] > 1 {
            configuration[keyPath: pool] = 1 + (usual[keyPath: pool] - 1) * max(0, extra.given) / extra.usual
        }
        return configuration
    }

    /// For the registry watch, which reads every moment.
    ///
    /// It is separate because a slow statement on a shared connection would make every loop distrust its cached teams.
    var watching: DatabaseConfiguration {
        var one = configuration("pippin_system")
        (one.shared, one.exclusive, one.lockWaitPool, one.searching) = (1, 0, 1, 0)
        return one
    }

    /// Connections of a loop, and the number without which one of its purposes had none.
    static let usualPerLoop = Databases("").app.connections + Databases("").system.connections
    static let fewestPerLoop = 7

    /// Maximum number of connections for a number of loops.
    static func connections(of loops: Int) -> Int { loops * usualPerLoop + Databases("").watching.connections }

    /// Number of connections with which so many loops still work.
    static func fewest(of loops: Int) -> Int { loops * fewestPerLoop + Databases("").watching.connections }

    private func configuration(_ role: String) -> DatabaseConfiguration {
        var configuration = DatabaseConfiguration(servers, role: role, walledTable: "teams")
        configuration.lookups = lookups
        if let timeout {
            (configuration.timeout, configuration.searchTimeout, configuration.grace) = (timeout, timeout, timeout)
        }
        return configuration
    }
}
