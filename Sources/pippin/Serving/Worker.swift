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
/// Nothing of it is shared with another loop, but for the bell that wakes the process's worker of jobs, and what
/// may be stored of flows.
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
    /// - Parameters:
    ///   - lookups: where the database's name is looked up; nil where it has none.
    ///   - registries: where large registries of teams are read.
    ///   - flowAllowances: those of all loops together.
    /// - Throws: `ClientFailure`, when libcurl does not start.
    init(
        loop: EventLoop,
        conninfo: String,
        context: EngineContext,
        apple service: AppleService,
        dnsServers: [String],
        lookups: BlockingPool?,
        registries: BlockingPool,
        flowAllowances: FlowAllowances,
        bell: JobBell
    ) throws(ClientFailure) {
        self.loop = loop
        self.bell = bell
        var (many, few) = (Self.app(conninfo), Self.system(conninfo))
        many.lookups = lookups
        few.lookups = lookups
        app = Database(loop: loop, configuration: many)
        system = Database(loop: loop, configuration: few)
        jobs = JobQueue(TeamDatabase(app), bell: bell)
        mail = MailQueue(jobs, keyRing: context.keyRing)
        teams = TeamCache(
            loop: loop,
            database: TeamDatabase(app),
            context: context,
            pool: registries
        )
        flows = FlowRecorder(
            loop: loop,
            database: TeamDatabase(app),
            context: context,
            allowances: flowAllowances
        )
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

    /// The way to the rows of one team at a time.
    static func app(_ conninfo: String) -> Database.Configuration {
        Database.Configuration(connection: conninfo, role: "pippin_app", walledTable: "teams")
    }

    /// The way to what no team owns.
    static func system(_ conninfo: String) -> Database.Configuration {
        var few = Database.Configuration(connection: conninfo, role: "pippin_system", walledTable: "teams")
        few.shared = 2
        (few.exclusive, few.searching) = (1, 0)
        return few
    }

    /// The way to what the watch over the registries reads, every moment: nothing slow is asked there, and so nothing
    /// keeps every request of every loop from trusting what it knows of its team.
    static func watching(_ conninfo: String) -> Database.Configuration {
        var one = Database.Configuration(connection: conninfo, role: "pippin_system", walledTable: "teams")
        (one.shared, one.exclusive, one.patient, one.searching) = (1, 0, 1, 0)
        return one
    }

    /// The most connections to the database that so many loops open.
    static func connections(of loops: Int) -> Int {
        loops * (app("").connections + system("").connections) + watching("").connections
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
            client: outgoing.checks,
            resolver: resolver,
            allowsLoopback: allowsLoopback
        )
    }
}
