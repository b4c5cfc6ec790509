import Accounts
import Console
import Core
import Crypto
import Directory
import EventLoop
import HTTP
import OAuth
import Platform
import Postgres
import Registry
import SignIn
import Simulator
import Templates

/// A running server: its loops, the services of each, and the order in which they start and stop.
final class ServerProcess {
    /// Time for requests under way to finish when the server stops.
    private static let requestTimeout = Duration.seconds(20)
    /// Time for jobs under way to finish when the server stops.
    private static let jobTimeout = Duration.seconds(10)
    /// Time for which idle connections stay open for one more request when another process already serves.
    private static let handoverGrace = Duration.seconds(10)
    /// Time for blocking calls to finish at the end, when no request waits for them.
    private static let lastTimeout = Duration.seconds(1)

    let installation: Installation
    let server: ServerContext
    let log: Log
    let loops: [EventLoop]
    let loopServices: [LoopServices]
    let pools: Pools
    let hasher: PasswordHasher
    let watch: RegistryWatch
    /// Database connection reserved for the registry watch.
    private let watching: Database
    let readiness: Readiness
    /// Whether the data directory can be written, as the supervisor finds out.
    var folder: @Sendable () -> Bool? = { nil }
    private let connections: ConnectionWatch
    let refusals: RefusalCount
    private let unauthenticatedCalls: UnauthenticatedCalls
    private let timeout: Duration?
    /// Nil if the servers do not use TLS.
    let certificates: CertificateRenewal?
    private var servers: [Server] = []
    private var heartbeat: Heartbeat?
    private let isStopping = Flag()
    /// Set if another process already serves when this one stops.
    private let isHandedOver = Flag()

    /// Starts the loops and begins to connect to the database; does not listen yet.
    ///
    /// - Parameters:
    ///   - loops: nil for a command, which listens nowhere, and the number in the settings.
    ///   - timeout: time limit of requests, statements and calls; nil for their usual ones.
    ///   - argon2id: cost of a password hash.
    ///   - log: nil for standard error, from the level of the settings.
    init(
        _ installation: Installation, loops chosen: Int? = nil, timeout: Duration? = nil,
        argon2id: Argon2id = .standard, log given: Log? = nil
    ) throws(CommandFailure) {
        let settings = installation.settings
        let log = given ?? Log(threshold: settings.logLevel)
        let count = chosen ?? settings.loops
        let (limits, bell) = (LimitCounts(adjusted: settings.limits), JobSignal())
        let server = ServerContext(
            publicURL: settings.publicURL.text, port: chosen.map { _ in Int(settings.port) },
            sampleOrigin: settings.isDemo ? Demo.sampleOrigin(settings) : nil, relayDomain: settings.relayDomain,
            keyRing: installation.keyRing, sendsMail: settings.mail.server != nil, log: log)
        (self.installation, self.server, self.timeout, self.log) = (installation, server, timeout, log)
        server.gate.isClosed = installation.isCopy
        let readiness = Readiness(schema: installation.schema, server: server, log: log)
        self.readiness = readiness
        refusals = RefusalCount(limits)
        connections = ConnectionWatch(log: log)
        certificates = CertificateRenewal(settings, log: log)
        do {
            loops = try (0..<count).map { try EventLoop(name: "loop-\($0)") }
            let pools = try Pools(cores: Machine.cores)
            let calls = try UnauthenticatedCalls(through: settings.outgoingProxy, gate: server.gate)
            (self.pools, unauthenticatedCalls) = (pools, calls)
            hasher = PasswordHasher(pool: pools.passwords, judges: pools.judges, argon2id: argon2id)
            let databases = Databases(installation, pools, loops: count, timeout: timeout)
            for loop in loops { try loop.start() }
            loopServices = try loops.map { loop in
                try loop.wait {
                    try LoopServices(
                        loop, databases, settings, server: server, registries: pools.registries, limits: limits,
                        calls: calls, bell: bell)
                }
            }
            watching = try loops[0].wait { [loop = loops[0]] in
                let database = Database(loop: loop, configuration: databases.watching)
                database.open()
                return database
            }
        } catch { throw CommandFailure("the loops cannot be started: \(describing: error)") }
        watch = RegistryWatch(
            loop: loops[0], database: SystemDatabase(watching), caches: loopServices.map { ($0.loop, $0.teams) },
            log: log
        ) { readiness.observe($0) }
    }

    /// Runs `body` with a process that serves nothing, for a command.
    static func run<Result>(_ settings: Settings, _ body: (ServerProcess) throws(CommandFailure) -> Result)
        throws(CommandFailure) -> Result
    {
        let (installation, _) = try Installation.open(settings, .existing)
        defer { installation.close() }
        let process = try ServerProcess(installation)
        defer { process.close() }
        return try body(process)
    }

    /// Applies registry files; a new team gets its first signing key in the transaction that creates it.
    var provisioner: Provisioner { provisioner(apartFrom: OwnAddress(server)) }

    /// Applies registry files, which may not contain URLs that lead to `own`.
    func provisioner(apartFrom own: OwnAddress?) -> Provisioner {
        let (pools, server, mail) = (pools, server, MailQueue(loopServices[0].jobs, keyRing: server.keyRing))
        return Provisioner(
            loopServices[0].database, keyRing: server.keyRing, hasher: hasher, apartFrom: own,
            sendInvitation: { issued, team, change in
                try await mail.enqueue(issued, to: team, by: "", at: server.publicURL, change)
            }
        ) { change in
            let key = try await pools.signingKeys.run(for: change.team.rawValue) { try RSASigningKey.generate() }
            try await SigningKeyStore.insert(key, activeFrom: server.clock(), keyRing: server.keyRing, change)
        }
    }
}

// Starting.
extension ServerProcess {
    /// Starts the servers and the work beside requests.
    ///
    /// - Parameters:
    ///   - sockets: listening sockets, one for each loop; if empty, the servers open their own.
    ///   - settle: called after everything has been read that only the user who started the process may read.
    func open(
        demo: Demo? = nil, simulation: Simulation? = nil, on sockets: [Int32] = [],
        _ settle: () throws(CommandFailure) -> Void = {}
    ) throws(CommandFailure) {
        var options = try installation.settings.serverOptions(loops: loops.count)
        options.sockets = sockets
        if let timeout {
            (options.headTimeout, options.bodyTimeout) = (timeout, timeout)
            (options.keepAlive, options.proxyKeepAlive) = (timeout, timeout)
            (options.answerTimeout, options.sendTimeout) = (timeout, timeout)
        }
        let loops = loops
        let assets = try PageAssets(installation.settings, server)
        let applications = try loopServices.map { services throws(CommandFailure) in
            try application(services, assets, demo, simulation)
        }
        let heartbeat = try heartbeat(assets)
        try settle()
        do {
            servers = try loops[0].wait { [options] in
                try await Server.start(options, on: loops) { loop in
                    guard let index = loops.firstIndex(where: { $0 === loop }) else {
                        preconditionFailure("a server is started on a loop of the process")
                    }
                    return applications[index]
                }
            }
        } catch let failure as ServerFailure { throw CommandFailure(failure.description) } catch {
            throw CommandFailure("the server cannot be started: \(describing: error)")
        }
        connections.begin(with: servers)
        self.heartbeat = heartbeat
        begin(heartbeat, options.tls)
    }

    private func heartbeat(_ assets: PageAssets) throws(CommandFailure) -> Heartbeat {
        let (services, system) = (loopServices[0], SystemDatabase(loopServices[0].system))
        let jobs = JobWorker(
            on: services.loop, services.database, system: system,
            handlers: BackgroundJobs(of: self).handlers(try mailSender(assets.site, services)), bell: services.bell,
            log: log)
        return Heartbeat(
            loops: loops, traces: loopServices.map(\.traces), store: ProcessStore(system), jobs: jobs,
            connections: connections, refusals: refusals, readiness: readiness, publicURL: server.publicURL, log: log)
    }

    /// What readiness looks at, for a process of that name.
    func subjects(_ id: String) -> Readiness.Subjects {
        let system = SystemDatabase(loopServices[0].system)
        return Readiness.Subjects(
            loops: loopServices, watching: watching, processes: ProcessStore(system),
            status: DatabaseStatusStore(system), id: id, folder: folder)
    }

    /// Starts the work beside requests.
    private func begin(_ heartbeat: Heartbeat, _ served: ServerTLS?) {
        let (watch, servers, loops, isOpen) = (watch, servers, loops, isOpenCheck)
        let (readiness, subjects) = (readiness, subjects(heartbeat.jobs.id.rawValue))
        Task(executorPreference: loops[0]) { await watch.run() }
        Task(executorPreference: loops[0]) { await readiness.run(subjects, while: isOpen) }
        Task(executorPreference: loops[0]) { await heartbeat.run(while: isOpen) }
        Task(executorPreference: loops[0]) { await heartbeat.jobs.run() }
        guard let certificates else { return }
        Task(executorPreference: loops[0]) { await certificates.run(servers, on: loops, with: served, while: isOpen) }
    }
}

// Stopping.
extension ServerProcess {
    /// Marks that another process serves from now on, so that open connections get time for one more request.
    func handOver() { isHandedOver.set() }

    /// Has load balancers and clients look elsewhere, while everything is still served.
    func drain() {
        readiness.note { $0.isDraining = true }
        for (loop, server) in zip(loops, servers) { loop.execute { server.drain() } }
    }

    /// Check, from any loop, whether the server still accepts requests.
    private var isOpenCheck: @Sendable () -> Bool {
        let isStopping = isStopping
        return { !isStopping.isSet }
    }

    /// Finishes requests and jobs under way, then closes connections, loops and pools, in this order.
    func close() {
        isStopping.set()
        if !isHandedOver.isSet { readiness.note { $0.isDraining = true } }
        let (servers, loopServices, watch, heartbeat) = (servers, loopServices, watch, heartbeat)
        let (watching, readiness) = (watching, readiness)
        let handoverGrace = isHandedOver.isSet ? Self.handoverGrace : .zero
        // In parallel, so that no server accepts requests any more and their timeouts do not add up.
        let answered = try? loops[0].wait { [loops] in
            await ServerProcess.stop(heartbeat == nil ? nil : readiness, loopServices) {
                await withTaskGroup { group in
                    if let heartbeat {
                        group.addTask(executorPreference: loops[0]) {
                            await heartbeat.jobs.stop(within: Self.jobTimeout)
                            await heartbeat.end()
                        }
                    }
                    for (loop, server) in zip(loops, servers) {
                        group.addTask(executorPreference: loop) {
                            await server.stop(within: Self.requestTimeout, idle: handoverGrace)
                        }
                    }
                }
            }
        }
        installation.isPatient = answered ?? true
        try? loops[0].wait {
            watch.stop()
            watching.close()
        }
        unauthenticatedCalls.close()
        for services in loopServices { try? services.loop.wait { await services.close() } }
        pools.stop(within: Self.lastTimeout)
        for loop in loops { loop.stop() }
    }

    /// Performs `work` while the database answers the registry watch, and closes all connections once it has not for a second.
    ///
    /// Operations that wait for a closed database fail as if the process were killed, and are resumed later.
    ///
    /// - Parameter readiness: nil if nothing watches the database.
    /// - Returns: whether the database answered until the end.
    private static func stop(
        _ readiness: Readiness?, _ loopServices: [LoopServices], doing work: @escaping @Sendable () async -> Void
    ) async -> Bool {
        let isDone = Flag()
        readiness?.forgive()
        async let isThere = {
            while !isDone.isSet {
                if readiness?.isSilent(for: lastTimeout) == true {
                    for services in loopServices { services.loop.execute { services.closeDatabases() } }
                    return false
                }
                await loopServices[0].loop.sleep(for: .milliseconds(20))
            }
            return true
        }()
        await work()
        isDone.set()
        return await isThere
    }
}

// Routes and handlers, built for each loop.
extension ServerProcess {
    /// The application of one loop.
    func application(_ loop: LoopServices, _ assets: PageAssets, _ demo: Demo?, _ simulation: Simulation?)
        throws(CommandFailure) -> Application
    {
        let services = try services(loop, assets.site)
        let options = consoleOptions(loop, try mailSender(assets.site, loop), demo, simulation)
        let signIn = try CommandFailure.ofTemplates { () throws(Diagnostics) in try SignIn(services) }
        let console = Console(services, options)
        var router = Router()
        assets.assets.declare(in: &router)
        mountHealth(on: &router)
        Metrics(services: loop, token: installation.settings.metricsToken) { try await console.isOperator($0) }.mount(
            on: &router)
        signIn.mount(on: &router)
        console.mount(on: &router)
        if let simulation { Simulator(services, signIn: signIn, script: simulation.script).mount(on: &router) }
        if let demo {
            SampleApp(demo.registration, client: options.client, site: assets.site, keyRing: server.keyRing).mount(
                on: &router)
        }
        let site = assets.site
        router.get(Route("/")) { .redirect(to: site.link(to: "/console", for: $0), status: .found) }
        for address in router.addresses { log(.debug, "route", ("address", address)) }
        // Separate from the refusals of teams, because unauthenticated clients can cause many different ones.
        let requests = RequestLog(log: log, refusals: RefusalLog(loop: loop.loop, log: log))
        do {
            return Application(
                routes: try router.frozen(),
                decorate: { refusal, request in
                    if case .failed(let error) = refusal { requests.note(error, request) }
                    return console.respond(to: refusal, request) ?? signIn.respond(to: refusal, request)
                }, started: { assets.site.transport.note($0) },
                finished: { [refusals] finished in
                    refusals.note(finished.status)
                    requests.note(finished)
                })
        } catch { preconditionFailure("two routes answer the same request: \(describing: error)") }
    }

    private func services(_ loop: LoopServices, _ site: Site) throws(CommandFailure) -> Services {
        guard let relay = RelayDomain(server.relayDomain) else {
            throw CommandFailure("--relay-domain \(server.relayDomain) is not a host name for mail")
        }
        return Services(
            site: site, server: server, database: loop.database, system: SystemDatabase(loop.system), teams: loop.teams,
            traces: loop.traces, jobs: loop.jobs, hasher: hasher, relay: relay, apple: loop.apple,
            sparesRoles: installation.settings.publicURL.isLoopback, log: log)
    }

    /// - Throws: `CommandFailure` if the template of emails does not match its view.
    private func mailSender(_ site: Site, _ services: LoopServices) throws(CommandFailure) -> MailSender {
        let writer = try CommandFailure.ofTemplates { () throws(Diagnostics) in try EmailRenderer(site.pages) }
        return MailSender(
            installation.settings.mail, client: MailClient(threads: pools.mail, gate: server.gate), writer: writer,
            mailbox: MailboxStore(services.database, keyRing: server.keyRing), keyRing: server.keyRing)
    }

    private func consoleOptions(_ loop: LoopServices, _ mail: MailSender, _ demo: Demo?, _ simulation: Simulation?)
        -> Console.Options
    {
        let (settings, watch) = (installation.settings, watch)
        var options = Console.Options(
            checks: loop.checks(allowsLoopback: settings.allowsLoopback), client: loop.outgoing.installation,
            mail: mail, pool: pools.signingKeys)
        options.certificateFile = settings.certificateFile(served: certificates)
        options.lacksProxy = settings.lacksTrustedProxy
        options.simulator = simulation?.simulator(in: self)
        options.watchesApple = settings.watchesApple
        options.registryChanged = { watch.announce($0) }
        if demo != nil { options.welcome = { try await DemoMembers(loop).admit($0) } }
        return options
    }

    /// Mounts `/healthz`, which reports that the process answers, and `/readyz`, that it can serve requests.
    private func mountHealth(on router: inout Router) {
        let readiness = readiness
        router.get(Route("/healthz")) { _ in .text("ok\n") }
        router.get(Route("/readyz")) { _ in readiness.response }
    }
}
