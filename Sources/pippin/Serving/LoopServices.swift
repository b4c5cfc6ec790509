import DNS
import Domain
import EventLoop
import Federation
import HTTPClient
import Jobs
import Mail
import OAuth
import Operations
import Postgres
import Registry
import SignInTrace

/// Services of one loop: its database connections, caches, queues and clients.
///
/// Loops share the signal that wakes the process's job worker, the counts of limits, and blocking threads.
struct LoopServices: Sendable {
    let loop: EventLoop
    let app: Database
    let system: Database
    let database: TeamDatabase
    let teams: TeamCache
    let traces: TraceRecorder
    let outgoing: Outgoing
    let apple: AppleProvider
    let resolver: Resolver
    let bell: JobSignal
    /// Queues for jobs and emails of this loop.
    let jobs: JobQueue
    let mail: MailQueue

    /// Creates the connections of a loop and begins to open them.
    ///
    /// Called on the loop.
    ///
    /// - Parameters:
    ///   - lookups: pool that looks up the database's host name; nil if it has none.
    ///   - registries: pool that reads large registries of teams.
    ///   - limits: counts that all loops share.
    ///   - timeout: time limit of statements, calls and lookups; nil for their usual ones.
    /// - Throws: `ClientFailure` if libcurl or the resolver does not start.
    init(
        loop: EventLoop, conninfo: String, server: ServerContext, apple service: AppleService, dnsServers: [String],
        lookups: BlockingPool?, registries: BlockingPool, limits: LimitCounts,
        unauthenticatedCalls: UnauthenticatedCalls, bell: JobSignal, timeout: Duration? = nil
    ) throws(ClientFailure) {
        self.loop = loop
        self.bell = bell
        var (many, few) = (Self.app(conninfo), Self.system(conninfo))
        many.lookups = lookups
        few.lookups = lookups
        if let timeout {
            (many.timeout, many.searchTimeout, many.grace) = (timeout, timeout, timeout)
            (few.timeout, few.grace) = (timeout, timeout)
        }
        app = Database(loop: loop, configuration: many)
        system = Database(loop: loop, configuration: few)
        database = TeamDatabase(app, limits: limits)
        jobs = JobQueue(database, bell: bell)
        mail = MailQueue(jobs, keyRing: server.keyRing)
        teams = TeamCache(loop: loop, database: database, server: server, pool: registries)
        traces = TraceRecorder(loop: loop, database: database, server: server)
        outgoing = try Outgoing(
            on: loop, checks: unauthenticatedCalls.checks, notifications: unauthenticatedCalls.notifications,
            deadline: timeout)
        let keys = AppleKeySet(of: service, on: loop, client: outgoing.apple, clock: server.clock)
        apple = AppleProvider(service, keys: keys, client: outgoing.apple, clock: server.clock)
        do throws(LookupFailure) {
            var asking = Resolver.Options()
            asking.servers = dnsServers
            asking.deadline = timeout
            resolver = try Resolver(on: loop, asking)
        } catch { throw .other("\(error)") }
        app.open()
        system.open()
    }

    /// Configuration for access to the rows of one team at a time.
    static func app(_ conninfo: String) -> Database.Configuration {
        Database.Configuration(connection: conninfo, role: "pippin_app", walledTable: "teams")
    }

    /// Configuration for access to rows that belong to no team.
    static func system(_ conninfo: String) -> Database.Configuration {
        var few = Database.Configuration(connection: conninfo, role: "pippin_system", walledTable: "teams")
        few.shared = 2
        (few.exclusive, few.searching) = (1, 0)
        return few
    }

    /// Configuration for the registry watch, which reads every moment.
    ///
    /// It is separate because a slow statement on a shared connection would make every loop distrust its cached teams.
    static func watching(_ conninfo: String) -> Database.Configuration {
        var one = Database.Configuration(connection: conninfo, role: "pippin_system", walledTable: "teams")
        (one.shared, one.exclusive, one.lockWaitPool, one.searching) = (1, 0, 1, 0)
        return one
    }

    /// Maximum number of database connections for a number of loops.
    static func connections(of loops: Int) -> Int {
        loops * (app("").connections + system("").connections) + watching("").connections
    }

    /// Stores the remaining sign-in traces, then closes the connections.
    func close() async {
        await traces.finish()
        outgoing.close()
        resolver.close()
        app.close()
        system.close()
    }

    var isReady: Bool { app.isReady && system.isReady }

    /// Checks of a team's registry that call other servers from this loop.
    func checks(allowsLoopback: Bool) -> RegistryChecks {
        RegistryChecks(database, client: outgoing.checks, resolver: resolver, allowsLoopback: allowsLoopback)
    }
}
