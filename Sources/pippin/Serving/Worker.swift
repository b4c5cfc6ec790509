import AuthEngine
import DNS
import Domain
import EventLoop
import HTTPClient
import Jobs
import Mail
import Postgres
import Providers
import Registry

/// Everything one loop serves with: its connections, its cache, its routes.
///
/// Nothing of it is shared with another loop, but for the bell that wakes the process's worker of jobs.
struct Worker: Sendable {
    let loop: EventLoop
    let app: Database
    let system: Database
    let teams: TeamCache
    let flows: FlowRecorder
    let outgoing: Outgoing
    let apple: AppleProvider
    let resolver: Resolver
    let bell: JobBell
    /// Where jobs and mail are enqueued from this loop.
    let jobs: JobQueue
    let mail: MailQueue

    /// Makes the connections of a loop and begins to open them.
    ///
    /// Called on the loop.
    ///
    /// - Parameter lookups: where the database's name is looked up; nil where it has none.
    /// - Throws: `ClientFailure`, when libcurl does not start.
    init(
        loop: EventLoop,
        conninfo: String,
        context: EngineContext,
        apple service: AppleService,
        dnsServers: [String],
        lookups: BlockingPool?,
        bell: JobBell
    ) throws(ClientFailure) {
        self.loop = loop
        self.bell = bell
        var shared = Database.Configuration(connection: conninfo, role: "pippin_app")
        shared.shared = 6
        shared.lookups = lookups
        app = Database(loop: loop, configuration: shared)
        var few = Database.Configuration(connection: conninfo, role: "pippin_system")
        few.shared = 2
        few.exclusive = 1
        few.lookups = lookups
        system = Database(loop: loop, configuration: few)
        jobs = JobQueue(TeamDatabase(app), bell: bell)
        mail = MailQueue(jobs, keyRing: context.keyRing)
        teams = TeamCache(loop: loop, database: TeamDatabase(app), context: context)
        flows = FlowRecorder(loop: loop, database: TeamDatabase(app), context: context)
        outgoing = try Outgoing(on: loop)
        let keys = AppleKeys(of: service, on: loop, client: outgoing.apple, clock: context.clock)
        apple = AppleProvider(service, keys: keys, client: outgoing.apple, clock: context.clock)
        do throws(LookupFailure) {
            var asking = Resolver.Options()
            asking.servers = dnsServers
            resolver = try Resolver(on: loop, asking)
        } catch {
            throw .other("\(error)")
        }
        app.open()
        system.open()
    }

    /// Writes what is still to be written, then closes the connections.
    func close() async {
        await flows.finish()
        outgoing.close()
        resolver.close()
        app.close()
        system.close()
    }

    var isReady: Bool { app.isReady && system.isReady }

    /// What asks the world about a team's registry from this loop.
    func checks(allowsLoopback: Bool) -> RegistryChecks {
        RegistryChecks(
            TeamDatabase(app),
            client: outgoing.teams,
            resolver: resolver,
            allowsLoopback: allowsLoopback
        )
    }
}
