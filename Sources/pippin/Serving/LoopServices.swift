import Accounts
import Core
import EventLoop
import Federation
import HTTP
import OAuth
import Platform
import Postgres
import Registry

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
    let jobs: JobQueue

    /// Creates the connections of a loop and begins to open them.
    ///
    /// Called on the loop.
    ///
    /// - Parameters:
    ///   - registries: pool that reads large registries of teams.
    ///   - limits: counts that all loops share.
    /// - Throws: `ClientFailure` if libcurl or the resolver does not start.
    init(
        _ loop: EventLoop, _ databases: Databases, _ settings: Settings, server: ServerContext,
        registries: BlockingPool, limits: LimitCounts, calls: UnauthenticatedCalls, bell: JobSignal
    ) throws(ClientFailure) {
        (self.loop, self.bell) = (loop, bell)
        app = Database(loop: loop, configuration: databases.app)
        system = Database(loop: loop, configuration: databases.system)
        database = TeamDatabase(app, limits: limits)
        jobs = JobQueue(database, bell: bell)
        teams = TeamCache(loop: loop, database: database, server: server, pool: registries)
        traces = TraceRecorder(loop: loop, database: database, server: server)
        outgoing = try Outgoing(
            on: loop, checks: calls.checks, notifications: calls.notifications, gate: server.gate,
            proxy: settings.outgoingProxy, deadline: databases.timeout)
        let keys = AppleKeySet(of: settings.apple, on: loop, client: outgoing.apple, clock: server.clock)
        apple = AppleProvider(settings.apple, keys: keys, client: outgoing.apple, clock: server.clock)
        do throws(LookupFailure) {
            var options = Resolver.Options()
            (options.servers, options.deadline) = (settings.dnsServers, databases.timeout)
            resolver = try Resolver(on: loop, options)
        } catch { throw .other("\(describing: error)") }
        app.open()
        system.open()
    }

    /// Stores the remaining sign-in traces, then closes the connections.
    func close() async {
        await traces.finish()
        outgoing.close()
        resolver.close()
        closeDatabases()
    }

    func closeDatabases() {
        app.close()
        system.close()
    }

    /// Why the loop has no live connection of a kind; nil if it has one of each.
    var missingConnection: String? { [app, system].first { !$0.isReady }?.problem }

    /// Checks of a team's registry that call other servers from this loop.
    func checks(allowsLoopback: Bool) -> RegistryChecks {
        RegistryChecks(database, client: outgoing.checks, resolver: resolver, allowsLoopback: allowsLoopback)
    }
}
