import Audit
import AuthEngine
import Bytes
import Crypto
import Directory
import Domain
import EventLoop
import Glibc
import HTTP
import Jobs
import Log
import Mail
import Postgres
import Provisioning
import Tenancy
import Web

/// A running server: its loops, what each serves with, and the order they start and stop in.
final class House {
    /// How long requests under way may take once the server is told to stop.
    private static let patience = Duration.seconds(20)
    /// How long calls that block may take when nobody waits for them any more.
    private static let lastPatience = Duration.seconds(1)

    let installation: Installation
    let context: EngineContext
    let log: Log
    let loops: [EventLoop]
    let workers: [Worker]
    let pool: BlockingPool
    let watch: RegistryWatch
    private var servers: [Server] = []
    private var background: BackgroundWork?
    private let isStopping = Flag()
    /// Where the private PostgreSQL is looked after; nil beside an operator's.
    private var clusterThread: BlockingPool?

    /// Starts the loops and begins to connect; nothing listens yet.
    init(_ installation: Installation) throws(CommandFailure) {
        let settings = installation.settings
        self.installation = installation
        log = Log(threshold: settings.logLevel)
        context = EngineContext(
            publicURL: settings.publicURL.text,
            relayDomain: settings.relayDomain,
            keyRing: installation.keyRing,
            sendsMail: settings.mail.server != nil
        )
        let (context, conninfo, bell) = (context, installation.conninfo, JobBell())
        let (apple, dnsServers) = (settings.apple, settings.dnsServers)
        do {
            let cores = Machine.cores
            loops = try (0..<cores).map { try EventLoop(name: "loop-\($0)") }
            // One core is left to the requests that hash nothing; each hash under way also holds 19 MiB.
            let pool = try BlockingPool(name: "blocking", threads: max(1, cores - 1), queueLimit: 256)
            self.pool = pool
            // The private PostgreSQL has no name, and passwords shall not hold up the way back to it.
            let lookups: BlockingPool? = installation.cluster == nil ? pool : nil
            for loop in loops { try loop.start() }
            workers = try loops.map { loop in
                try loop.wait {
                    try Worker(
                        loop: loop,
                        conninfo: conninfo,
                        context: context,
                        apple: apple,
                        dnsServers: dnsServers,
                        lookups: lookups,
                        bell: bell
                    )
                }
            }
        } catch {
            throw CommandFailure("the loops cannot be started: \(error)")
        }
        watch = RegistryWatch(
            loop: loops[0],
            database: SystemDatabase(workers[0].system),
            caches: workers.map { ($0.loop, $0.teams) }
        )
    }

    /// Applies registry files; a new team gets its first signing key in the transaction that creates it.
    var provisioner: Provisioner { provisioner(apartFrom: context.publicURL) }

    /// The same, with return URLs that may lead anywhere but there.
    func provisioner(apartFrom publicURL: String) -> Provisioner {
        let (pool, context) = (pool, context)
        return Provisioner(
            TeamDatabase(workers[0].app),
            keyRing: context.keyRing,
            hasher: PasswordHasher(pool: pool),
            publicURL: publicURL
        ) { team, transaction in
            let key = try await pool.run { try RSASigningKey.generate() }
            try await SigningKeyStore.insert(
                key,
                for: team,
                activeFrom: context.clock(),
                keyRing: context.keyRing,
                in: transaction
            )
        }
    }

    /// Listens, and begins what runs beside the requests.
    func open(_ serving: Serving) throws(CommandFailure) {
        let settings = installation.settings
        var options = ServerOptions(address: settings.address, port: settings.port)
        options.trustedProxies = settings.trustedProxies
        if let tls = settings.tls { options.tls = try TLSFiles.read(tls) }
        let (workers, watch, loops) = (workers, watch, loops)
        do {
            let look = try serving.look()
            let applications = try serving.applications(workers, look)
            try prepareBackgroundWork(serving, look)
            servers = try loops[0].wait { [options] in
                try await Server.start(options, on: loops) { loop in
                    guard let index = loops.firstIndex(where: { $0 === loop }) else {
                        preconditionFailure("a server is started on a loop of the house")
                    }
                    return applications[index]
                }
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch let failure as ServerFailure {
            throw CommandFailure(failure.description)
        } catch {
            throw CommandFailure("the server cannot be started: \(error)")
        }
        try keepCluster()
        Task(executorPreference: loops[0]) { await watch.run() }
        if let background { loops[0].execute { [isOpenCheck] in background.begin(while: isOpenCheck) } }
    }

    /// On a thread of its own: passwords may keep the others busy.
    private func keepCluster() throws(CommandFailure) {
        guard let cluster = installation.cluster else { return }
        do {
            let thread = try BlockingPool(name: "cluster", threads: 1, queueLimit: 1)
            clusterThread = thread
            let loop = loops[0]
            Task(executorPreference: loop) { [log, isOpenCheck] in
                await House.keep(cluster, on: thread, of: loop, log: log, while: isOpenCheck)
            }
        } catch {
            throw CommandFailure("the database's thread cannot be started: \(error)")
        }
    }

    private func prepareBackgroundWork(_ serving: Serving, _ look: Look) throws(CommandFailure) {
        let worker = workers[0]
        var handlers = try serving.handlers(on: worker, look.site)
        registerNotices(in: &handlers, on: worker)
        registerProviders(in: &handlers, on: worker)
        background = BackgroundWork(
            on: workers,
            handlers: handlers,
            schedules: Upkeep.schedules(
                on: worker,
                context: context,
                allowsLoopback: installation.settings.allowsLoopback
            )
                + engineSchedules(on: worker) + providerSchedules(on: worker) + appleWatch(on: worker)
                + AuditUpkeep.schedules(on: worker, keyRing: context.keyRing, log: log),
            log: log
        )
    }

    /// Tells, from any loop, whether the server still takes requests.
    var isOpenCheck: @Sendable () -> Bool {
        let isStopping = isStopping
        return { !isStopping.isSet }
    }

    /// Finishes what is under way, then closes connections, loops and the pool, in this order.
    func close() {
        isStopping.set()
        clusterThread?.stop()
        let (servers, workers, watch, background) = (servers, workers, watch, background)
        try? loops[0].wait { watch.stop() }
        // All at once: each takes no more requests from now on, and their patience does not add up.
        let answered = try? loops[0].wait { [loops] in
            await House.stop(workers) {
                await withTaskGroup { group in
                    if let background {
                        group.addTask(executorPreference: loops[0]) { await background.stop() }
                    }
                    for (loop, server) in zip(loops, servers) {
                        group.addTask(executorPreference: loop) { await server.stop(within: Self.patience) }
                    }
                }
            }
        }
        installation.isPatient = answered ?? true
        for worker in workers { try? worker.loop.wait { await worker.close() } }
        pool.stop(within: Self.lastPatience)
        for loop in loops { loop.stop() }
    }
}
