import EventLoop
import Postgres

/// The connections of an installation to its database.
struct Databases: Sendable {
    let conninfo: String
    /// Pool that looks up the database's host name; nil if it has none.
    var lookups: BlockingPool?
    /// Time limit of statements and of calls to other servers; nil for their usual ones.
    var timeout: Duration?

    init(_ conninfo: String) { self.conninfo = conninfo }

    init(_ installation: Installation, _ pools: Pools, timeout: Duration?) {
        conninfo = installation.conninfo
        // The private PostgreSQL is reached over a Unix socket, without a host name.
        lookups = installation.cluster == nil ? pools.lookups : nil
        self.timeout = timeout
    }

    /// Access to the rows of one team at a time.
    var app: DatabaseConfiguration { configuration("pippin_app") }

    /// Access to rows that belong to no team.
    var system: DatabaseConfiguration {
        var few = configuration("pippin_system")
        (few.shared, few.exclusive, few.searching) = (2, 1, 0)
        return few
    }

    /// For the registry watch, which reads every moment.
    ///
    /// It is separate because a slow statement on a shared connection would make every loop distrust its cached teams.
    var watching: DatabaseConfiguration {
        var one = configuration("pippin_system")
        (one.shared, one.exclusive, one.lockWaitPool, one.searching) = (1, 0, 1, 0)
        return one
    }

    /// Maximum number of connections for a number of loops.
    static func connections(of loops: Int) -> Int {
        let databases = Databases("")
        return loops * (databases.app.connections + databases.system.connections) + databases.watching.connections
    }

    private func configuration(_ role: String) -> DatabaseConfiguration {
        var configuration = DatabaseConfiguration(connection: conninfo, role: role, walledTable: "teams")
        configuration.lookups = lookups
        if let timeout {
            (configuration.timeout, configuration.searchTimeout, configuration.grace) = (timeout, timeout, timeout)
        }
        return configuration
    }
}
