import Audit
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
import OAuth
import Operations
import Postgres
import Provisioning
import SignInTrace
import Tenancy
import Web

/// A running server: its loops, the services of each, and the order in which they start and stop.
final class ServerProcess {
    /// Time for requests under way to finish when the server stops.
    private static let timeout = Duration.seconds(20)
    /// Time for which idle connections stay open for one more request when another process already serves.
    private static let handoverGrace = Duration.seconds(10)
    /// Time for blocking calls to finish at the end, when no request waits for them.
    private static let lastPatience = Duration.seconds(1)

    let installation: Installation
    let server: ServerContext
    let log: Log
    let loops: [EventLoop]
    let loopServices: [LoopServices]
    let pools: Pools
    let watch: RegistryWatch
    /// Database connection reserved for the registry watch.
    private let watching: Database
    private let connections: ConnectionWatch
    let refusals: RefusalCount
    let limits: LimitCounts
    private let unauthenticatedCalls: UnauthenticatedCalls
    private let timeout: Duration?
    /// Nil if the servers do not use TLS.
    let certificates: CertificateRenewal?
    private var servers: [Server] = []
    private var background: BackgroundWork?
    private let isStopping = Flag()
    /// Set if another process already serves when this one stops.
    private let isHandedOver = Flag()

    /// Starts the loops and begins to connect to the database; does not listen yet.
    ///
    /// - Parameter timeout: time limit of requests, statements and calls; nil for their usual ones.
    init(_ installation: Installation, loops count: Int = Machine.cores, timeout: Duration? = nil)
        throws(CommandFailure)
    {
        let settings = installation.settings
        self.installation = installation
        self.timeout = timeout
        log = Log(threshold: settings.logLevel)
        limits = LimitCounts(adjusted: settings.limits)
        refusals = RefusalCount(limits)
        connections = ConnectionWatch(log: log)
        certificates = CertificateRenewal(settings, log: log)
        server = ServerContext(
            publicURL: settings.publicURL.text, relayDomain: settings.relayDomain, keyRing: installation.keyRing,
            sendsMail: settings.mail.server != nil, log: log)
        let (server, conninfo, bell) = (server, installation.conninfo, JobSignal())
        let (apple, dnsServers, limits) = (settings.apple, settings.dnsServers, limits)
        do {
            let cores = Machine.cores
            loops = try (0..<count).map { try EventLoop(name: "loop-\($0)") }
            let pools = try Pools(cores: cores)
            self.pools = pools
            // The private PostgreSQL is reached over a Unix socket, without a host name.
            let lookups: BlockingPool? = installation.cluster == nil ? pools.lookups : nil
            let unauthenticatedCalls = try UnauthenticatedCalls()
            self.unauthenticatedCalls = unauthenticatedCalls
            for loop in loops { try loop.start() }
            loopServices = try loops.map { loop in
                try loop.wait {
                    try LoopServices(
                        loop: loop, conninfo: conninfo, server: server, apple: apple, dnsServers: dnsServers,
                        lookups: lookups, registries: pools.registries, limits: limits,
                        unauthenticatedCalls: unauthenticatedCalls, bell: bell, timeout: timeout)
                }
            }
            var way = LoopServices.watching(conninfo)
            way.lookups = lookups
            if let timeout { (way.timeout, way.grace) = (timeout, timeout) }
            watching = try loops[0].wait { [way, loop = loops[0]] in
                let database = Database(loop: loop, configuration: way)
                database.open()
                return database
            }
        } catch { throw CommandFailure("the loops cannot be started: \(error)") }
        watch = RegistryWatch(
            loop: loops[0], database: SystemDatabase(watching), caches: loopServices.map { ($0.loop, $0.teams) },
            log: log)
    }

    /// Applies registry files; a new team gets its first signing key in the transaction that creates it.
    var provisioner: Provisioner { provisioner(apartFrom: server.publicURL) }

    /// Applies registry files, which may not contain return URLs on the origin `publicURL`.
    func provisioner(apartFrom publicURL: String) -> Provisioner {
        let (pools, server) = (pools, server)
        return Provisioner(
            loopServices[0].database, keyRing: server.keyRing,
            hasher: PasswordHasher(pool: pools.passwords, judges: pools.judges), publicURL: publicURL
        ) { team, transaction in
            let key = try await pools.signingKeys.run(for: team.rawValue) { try RSASigningKey.generate() }
            try await SigningKeyStore.insert(
                key, for: team, activeFrom: server.clock(), keyRing: server.keyRing, in: transaction)
        }
    }

    /// Starts the servers and the work beside requests.
    ///
    /// - Parameters:
    ///   - sockets: listening sockets, one for each loop; if empty, the servers open their own.
    ///   - settle: called after everything has been read that only the user who started the process may read.
    func open(_ composition: Composition, on sockets: [Int32] = [], _ settle: () throws(CommandFailure) -> Void = {})
        throws(CommandFailure)
    {
        let settings = installation.settings
        var options = try settings.serverOptions(loops: loops.count)
        options.sockets = sockets
        if let timeout {
            (options.headTimeout, options.bodyTimeout) = (timeout, timeout)
            (options.answerTimeout, options.sendTimeout) = (timeout, timeout)
        }
        let (loopServices, watch, loops) = (loopServices, watch, loops)
        do {
            let assets = try composition.assets()
            let applications = try composition.applications(loopServices, assets)
            try prepareBackgroundWork(assets)
            try settle()
            servers = try loops[0].wait { [options] in
                try await Server.start(options, on: loops) { loop in
                    guard let index = loops.firstIndex(where: { $0 === loop }) else {
                        preconditionFailure("a server is started on a loop of the house")
                    }
                    return applications[index]
                }
            }
        } catch let failure as CommandFailure { throw failure } catch let failure as ServerFailure {
            throw CommandFailure(failure.description)
        } catch { throw CommandFailure("the server cannot be started: \(error)") }
        connections.begin(with: servers)
        renewCertificates(options.tls)
        Task(executorPreference: loops[0]) { await watch.run() }
        if let background { loops[0].execute { [isOpenCheck] in background.begin(while: isOpenCheck) } }
    }

    private func renewCertificates(_ served: ServerTLS?) {
        guard let certificates else { return }
        let (servers, loops, isOpen) = (servers, loops, isOpenCheck)
        Task(executorPreference: loops[0]) { await certificates.run(servers, on: loops, with: served, while: isOpen) }
    }

    private func prepareBackgroundWork(_ assets: PageAssets) throws(CommandFailure) {
        background = BackgroundWork(
            on: loopServices, handlers: try jobHandlers(assets.site), connections: connections, refusals: refusals,
            log: log)
    }

    /// Marks that another process serves from now on, so that open connections get time for one more request.
    func handOver() { isHandedOver.set() }

    /// Check, from any loop, whether a load balancer may send requests here, which is true during a handover.
    var isReadyCheck: @Sendable () -> Bool {
        let (isStopping, isHandedOver) = (isStopping, isHandedOver)
        return { !isStopping.isSet || isHandedOver.isSet }
    }

    /// Check, from any loop, whether the server still accepts requests.
    var isOpenCheck: @Sendable () -> Bool {
        let isStopping = isStopping
        return { !isStopping.isSet }
    }

    /// Finishes requests and jobs under way, then closes connections, loops and pools, in this order.
    func close() {
        isStopping.set()
        let (servers, loopServices, watch, background) = (servers, loopServices, watch, background)
        let watching = watching
        let handoverGrace = isHandedOver.isSet ? Self.handoverGrace : .zero
        try? loops[0].wait { watch.stop() }
        // In parallel, so that no server accepts requests any more and their timeouts do not add up.
        let answered = try? loops[0].wait { [loops] in
            await ServerProcess.stop(loopServices) {
                await withTaskGroup { group in
                    if let background { group.addTask(executorPreference: loops[0]) { await background.stop() } }
                    for (loop, server) in zip(loops, servers) {
                        group.addTask(executorPreference: loop) {
                            await server.stop(within: Self.timeout, idle: handoverGrace)
                        }
                    }
                }
            }
        }
        installation.isPatient = answered ?? true
        try? loops[0].wait { watching.close() }
        unauthenticatedCalls.close()
        for services in loopServices { try? services.loop.wait { await services.close() } }
        pools.stop(within: Self.lastPatience)
        for loop in loops { loop.stop() }
    }
}
