import Console
import Directory
import Domain
import EventLoop
import HTTP
import Hosted
import Log
import Mail
import OAuth
import Operations
import Postgres
import SampleApp
import Simulator
import Templates
import Tenancy
import Web

/// Routes and handlers of the server, built for each loop from the same settings.
struct Composition {
    let settings: Settings
    let server: ServerContext
    let hasher: PasswordHasher
    let pools: Pools
    let watch: RegistryWatch
    /// Requests answered 429 and 503, counted over all loops.
    let refusalCount: RefusalCount
    let log: Log
    let demo: Demo?
    /// Behavior of the Apple simulator; nil if Pippin uses the real Apple.
    let script: Script?
    /// Registration of clients at the Apple simulator.
    let standIn: AppleStandIn?
    /// Renewal of the TLS certificate; nil without TLS.
    let certificates: CertificateRenewal?
    /// Whether the server still accepts requests.
    let isOpen: @Sendable () -> Bool

    /// The applications of the loops, in the order of the loops.
    ///
    /// - Throws: `CommandFailure` with every error of every template, or if public files cannot be read.
    func applications(_ loopServices: [LoopServices], _ assets: PageAssets) throws(CommandFailure) -> [Application] {
        var applications: [Application] = []
        for services in loopServices { applications.append(try application(services, assets.site, assets.assets)) }
        return applications
    }

    /// Reads templates, texts and public files.
    func assets() throws(CommandFailure) -> PageAssets {
        let assets = try publicFiles()
        return PageAssets(assets: assets, site: try site(assets))
    }

    private func application(_ services: LoopServices, _ site: Site, _ assets: Assets) throws(CommandFailure)
        -> Application
    {
        let hosted = try hosted(services, site)
        let console = try console(services, site)
        var router = Router()
        assets.declare(in: &router)
        Health(services: services, isOpen: isOpen).mount(on: &router)
        Metrics(services: services, token: settings.metricsToken) { try await console.isOperator($0) }.mount(
            on: &router)
        hosted.mount(on: &router)
        console.mount(on: &router)
        if let script { try simulator(script, services, site, hosted).mount(on: &router) }
        if let demo { try sampleApp(demo, services, site).mount(on: &router) }
        router.get(Route("/")) { _ in .redirect(to: "/console", status: .found) }
        for address in router.addresses { log(.debug, "route", ("address", address)) }
        // Separate from the refusals of teams, because unauthenticated clients can cause many different ones.
        let refusals = RefusalLog(loop: services.loop, log: log)
        let (requests, failures) = (RequestLog(log: log, refusals: refusals), Failures(log: log, refusals: refusals))
        do {
            return Application(
                routes: try router.frozen(),
                decorate: { refusal, request in
                    if case .failed(let error) = refusal { failures.note(error, request) }
                    return console.respond(to: refusal, request) ?? hosted.respond(to: refusal, request)
                },
                finished: { [refusalCount] finished in
                    refusalCount.note(finished.status)
                    requests.note(finished)
                })
        } catch { preconditionFailure("two routes answer the same request: \(error)") }
    }

    private func hosted(_ services: LoopServices, _ site: Site) throws(CommandFailure) -> Hosted {
        let database = services.database
        guard let relay = RelayDomain(server.relayDomain) else {
            throw CommandFailure("--relay-domain \(server.relayDomain) is not a host name for mail")
        }
        do {
            return try Hosted(
                Hosted.Parts(
                    site: site, server: server, teams: services.teams, database: database,
                    testSignIns: TestSignInStore(database: database, keyRing: server.keyRing),
                    passwords: PasswordSignIn(database, hasher: hasher), hasher: hasher,
                    sessions: SessionStore(database), factors: factors(services),
                    consents: ConsentStore(database, relay: relay), mail: services.mail, traces: services.traces,
                    apple: services.apple, log: log))
        } catch { throw CommandFailure(error.all.map(\.description)) }
    }

    private func factors(_ services: LoopServices) -> SecondFactors {
        SecondFactors(
            services.database, rights: AccountRightsStore(SystemDatabase(services.system)), server: server,
            sparesRoles: settings.publicURL.isLoopback)
    }

    private func console(_ services: LoopServices, _ site: Site) throws(CommandFailure) -> Console {
        let (database, demo) = (services.database, demo)
        do {
            return try Console(
                Console.Parts(
                    site: site, server: server, database: database, system: SystemDatabase(services.system),
                    sessions: SessionStore(database), mail: services.mail, gate: factors(services).gate, hasher: hasher,
                    testSignIns: TestSignInStore(database: database, keyRing: server.keyRing),
                    checks: services.checks(allowsLoopback: settings.allowsLoopback), apple: services.apple,
                    client: services.outgoing.installation,
                    certificateFile: settings.certificateFile(served: certificates),
                    lacksProxy: settings.lacksTrustedProxy, standIn: standIn, watchesApple: settings.watchesApple,
                    teams: services.teams, traces: services.traces, jobs: services.jobs,
                    registryChanged: { [watch] team in watch.announce(team) },
                    welcome: { account in if demo != nil { try await DemoMembers(services).admit(account) } },
                    pool: pools.signingKeys, log: log))
        } catch { throw CommandFailure(error.all.map(\.description)) }
    }

    private func simulator(_ script: Script, _ services: LoopServices, _ site: Site, _ hosted: Hosted)
        throws(CommandFailure) -> Simulator
    {
        do {
            return try Simulator(
                Simulator.Parts(
                    site: site, server: server, teams: services.teams, database: services.database,
                    traces: services.traces, hosted: hosted), script: script)
        } catch { throw CommandFailure(error.all.map(\.description)) }
    }

    private func sampleApp(_ demo: Demo, _ services: LoopServices, _ site: Site) throws(CommandFailure) -> SampleApp {
        do {
            return try SampleApp(
                demo.registration, client: services.outgoing.installation, site: site, keyRing: server.keyRing)
        } catch { throw CommandFailure(error.all.map(\.description)) }
    }

    private func publicFiles() throws(CommandFailure) -> Assets {
        do {
            return try Assets(
                folder: settings.resources.publicFiles, fields: [HeaderField(.xContentTypeOptions, "nosniff")])
        } catch { throw CommandFailure("the public files cannot be read: \(error)") }
    }

    private func site(_ assets: Assets) throws(CommandFailure) -> Site {
        let pages: Pages
        do {
            pages = try Pages(
                folder: settings.resources.templates, texts: settings.resources.texts,
                isWatching: settings.watchesTemplates)
            try pages.check(
                Hosted.views + Console.views + SampleApp.views + Simulator.views + EmailRenderer.views, TextArea.all)
        } catch { throw CommandFailure(error.all.map(\.description)) }
        guard let css = assets.link("pippin.css"), let logo = assets.link("pippin.svg"),
            let icons = assets.link("icons.svg"), let js = assets.link("pippin.js").flatMap(SafeURL.init(vetted:)),
            let exit = assets.link("exit.js").flatMap(SafeURL.init(vetted:)),
            let factors = assets.link("factors.js").flatMap(SafeURL.init(vetted:)),
            let script = assets.content("apple-id.js")
        else { throw CommandFailure("a public file is missing in \(settings.resources.publicFiles)") }
        return Site(
            publicURL: server.publicURL, pages: pages,
            assets: AssetLinks(css: css, js: js, exit: exit, factors: factors, logo: logo, icons: icons),
            webScript: script, keyRing: server.keyRing)
    }
}

/// Public files and site that all loops share.
struct PageAssets: Sendable {
    let assets: Assets
    let site: Site
}

/// Health checks: `/healthz` reports that the process answers, `/readyz` that it can serve requests.
struct Health: Sendable {
    let services: LoopServices
    let isOpen: @Sendable () -> Bool

    func mount(on router: inout Router) {
        router.get(Route("/healthz")) { _ in .text("ok\n") }
        router.get(Route("/readyz")) { _ in
            guard isOpen(), services.isReady else {
                var response = Response.text("not ready\n", status: .serviceUnavailable)
                response.append(.retryAfter, "1")
                return response
            }
            return .text("ready\n")
        }
    }
}
