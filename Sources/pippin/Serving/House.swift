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
    /// How long idle connections may stay for one request more when another process serves already.
    private static let courtesy = Duration.seconds(10)
    /// How long calls that block may take when nobody waits for them any more.
    private static let lastPatience = Duration.seconds(1)

    let installation: Installation
    let context: EngineContext
    let log: Log
    let loops: [EventLoop]
    let workers: [Worker]
    let pools: Pools
    let watch: RegistryWatch
    /// What the watch reads from, and nothing else does.
    private let watching: Database
    private let connections: ConnectionWatch
    let refusals = RefusalCount()
    /// Nil where the servers speak no TLS.
    let certificates: CertificateRenewal?
    private var servers: [Server] = []
    private var background: BackgroundWork?
    private let isStopping = Flag()
    /// Set where another process serves already when this one stops.
    private let isHandedOver = Flag()

    /// Starts the loops and begins to connect; nothing listens yet.
    init(_ installation: Installation, loops count: Int = Machine.cores) throws(CommandFailure) {
        let settings = installation.settings
        self.installation = installation
        log = Log(threshold: settings.logLevel)
        connections = ConnectionWatch(log: log)
        certificates = CertificateRenewal(settings, log: log)
        context = EngineContext(
            publicURL: settings.publicURL.text,
            relayDomain: settings.relayDomain,
            keyRing: installation.keyRing,
            sendsMail: settings.mail.server != nil,
            log: log
        )
        let (context, conninfo, bell) = (context, installation.conninfo, JobBell())
        let (apple, dnsServers, flowAllowances) = (settings.apple, settings.dnsServers, FlowAllowances())
        do {
            let cores = Machine.cores
            loops = try (0..<count).map { try EventLoop(name: "loop-\($0)") }
            let pools = try Pools(cores: cores)
            self.pools = pools
            // The private PostgreSQL has no name.
            let lookups: BlockingPool? = installation.cluster == nil ? pools.lookups : nil
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
                        registries: pools.registries,
                        flowAllowances: flowAllowances,
                        bell: bell
                    )
                }
            }
            var way = Worker.watching(conninfo)
            way.lookups = lookups
            watching = try loops[0].wait { [way, loop = loops[0]] in
                let database = Database(loop: loop, configuration: way)
                database.open()
                return database
            }
        } catch {
            throw CommandFailure("the loops cannot be started: \(error)")
        }
        watch = RegistryWatch(
            loop: loops[0],
            database: SystemDatabase(watching),
            caches: workers.map { ($0.loop, $0.teams) },
            log: log
        )
    }

    /// Applies registry files; a new team gets its first signing key in the transaction that creates it.
    var provisioner: Provisioner { provisioner(apartFrom: context.publicURL) }

    /// The same, with return URLs that may lead anywhere but there.
    func provisioner(apartFrom publicURL: String) -> Provisioner {
        let (pools, context) = (pools, context)
        return Provisioner(
            TeamDatabase(workers[0].app),
            keyRing: context.keyRing,
            hasher: PasswordHasher(pool: pools.passwords, judges: pools.judges),
            publicURL: publicURL
        ) { team, transaction in
            let key = try await pools.signingKeys.run(for: team.rawValue) { try RSASigningKey.generate() }
            try await SigningKeyStore.insert(
                key,
                for: team,
                activeFrom: context.clock(),
                keyRing: context.keyRing,
                in: transaction
            )
        }
    }

    /// Serves, and begins what runs beside the requests.
    ///
    /// - Parameters:
    ///   - sockets: listen already, one for each loop; none has the servers open their own.
    ///   - settle: called when everything is read that only the user of the start may read.
    func open(
        _ serving: Serving,
        on sockets: [Int32] = [],
        _ settle: () throws(CommandFailure) -> Void = {}
    ) throws(CommandFailure) {
        let settings = installation.settings
        var options = try settings.serverOptions(loops: loops.count)
        options.sockets = sockets
        let (workers, watch, loops) = (workers, watch, loops)
        do {
            let look = try serving.look()
            let applications = try serving.applications(workers, look)
            try prepareBackgroundWork(serving, look)
            try settle()
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
        connections.begin(with: servers)
        renewCertificates(options.tls)
        Task(executorPreference: loops[0]) { await watch.run() }
        if let background { loops[0].execute { [isOpenCheck] in background.begin(while: isOpenCheck) } }
    }

    private func renewCertificates(_ served: ServerTLS?) {
        guard let certificates else { return }
        let (servers, loops, isOpen) = (servers, loops, isOpenCheck)
        Task(executorPreference: loops[0]) {
            await certificates.run(servers, on: loops, with: served, while: isOpen)
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
            connections: connections,
            refusals: refusals,
            log: log
        )
    }

    /// Another process serves from now on: this one ends when those who are connected have nothing more to ask.
    func handOver() {
        isHandedOver.set()
    }

    /// Tells, from any loop, whether a balancer may send requests here: while another process takes them over, too.
    var isReadyCheck: @Sendable () -> Bool {
        let (isStopping, isHandedOver) = (isStopping, isHandedOver)
        return { !isStopping.isSet || isHandedOver.isSet }
    }

    /// Tells, from any loop, whether the server still takes requests.
    var isOpenCheck: @Sendable () -> Bool {
        let isStopping = isStopping
        return { !isStopping.isSet }
    }

    /// Finishes what is under way, then closes connections, loops and the pools, in this order.
    func close() {
        isStopping.set()
        let (servers, workers, watch, background) = (servers, workers, watch, background)
        let watching = watching
        let courtesy = isHandedOver.isSet ? Self.courtesy : .zero
        try? loops[0].wait { watch.stop() }
        // All at once: each takes no more requests from now on, and their patience does not add up.
        let answered = try? loops[0].wait { [loops] in
            await House.stop(workers) {
                await withTaskGroup { group in
                    if let background {
                        group.addTask(executorPreference: loops[0]) { await background.stop() }
                    }
                    for (loop, server) in zip(loops, servers) {
                        group.addTask(executorPreference: loop) {
                            await server.stop(within: Self.patience, idle: courtesy)
                        }
                    }
                }
            }
        }
        installation.isPatient = answered ?? true
        try? loops[0].wait { watching.close() }
        for worker in workers { try? worker.loop.wait { await worker.close() } }
        pools.stop(within: Self.lastPatience)
        for loop in loops { loop.stop() }
    }
}
