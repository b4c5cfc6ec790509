import Console
import Core
import Directory
import EventLoop
import HTTP
import OAuth
import Platform
import Registry
import SignIn
import Simulator
import Templates

/// Public files and site that all loops share.
struct PageAssets: Sendable {
    let assets: Assets
    let site: Site
}

// Routes and handlers, built for each loop.
extension ServerProcess {
    /// Reads templates, texts and public files.
    ///
    /// - Throws: `CommandFailure` with every error of every template, or if public files cannot be read.
    func assets() throws(CommandFailure) -> PageAssets {
        let (settings, resources) = (installation.settings, installation.settings.resources)
        let assets: Assets
        do {
            assets = try Assets(folder: resources.publicFiles, fields: [HeaderField(.xContentTypeOptions, "nosniff")])
        } catch { throw CommandFailure("the public files cannot be read: \(error)") }
        let pages = try Self.templates { () throws(Diagnostics) in
            let pages = try Pages(
                folder: resources.templates, texts: resources.texts, isWatching: settings.watchesTemplates)
            try pages.check(
                Hosted.views + Console.views + SampleApp.views + Simulator.views + EmailRenderer.views, TextArea.all)
            return pages
        }
        guard let css = assets.link("pippin.css"), let logo = assets.link("pippin.svg"),
            let icons = assets.link("icons.svg"), let js = assets.link("pippin.js").flatMap(SafeURL.init(vetted:)),
            let exit = assets.link("exit.js").flatMap(SafeURL.init(vetted:)),
            let factors = assets.link("factors.js").flatMap(SafeURL.init(vetted:)),
            let script = assets.content("apple-id.js")
        else { throw CommandFailure("a public file is missing in \(resources.publicFiles)") }
        let links = AssetLinks(css: css, js: js, exit: exit, factors: factors, logo: logo, icons: icons)
        return PageAssets(
            assets: assets,
            site: Site(
                publicURL: server.publicURL, pages: pages, assets: links, webScript: script, keyRing: server.keyRing))
    }

    /// Makes something with templates.
    ///
    /// - Throws: `CommandFailure` if a template does not match its view.
    static func templates<Result>(_ make: () throws(Diagnostics) -> Result) throws(CommandFailure) -> Result {
        do { return try make() } catch { throw CommandFailure(error.all.map(\.description)) }
    }

    /// The application of one loop.
    func application(_ loop: LoopServices, _ assets: PageAssets, _ demo: Demo?, _ simulation: Simulation?)
        throws(CommandFailure) -> Application
    {
        let services = try services(loop, assets.site)
        let options = consoleOptions(loop, demo, simulation)
        let hosted = try Self.templates { () throws(Diagnostics) in try Hosted(services) }
        let console = try Self.templates { () throws(Diagnostics) in try Console(services, options) }
        var router = Router()
        assets.assets.declare(in: &router)
        mountHealth(loop, on: &router)
        Metrics(services: loop, token: installation.settings.metricsToken) { try await console.isOperator($0) }.mount(
            on: &router)
        hosted.mount(on: &router)
        console.mount(on: &router)
        if let simulation {
            try Self.templates { () throws(Diagnostics) in
                try Simulator(services, hosted: hosted, script: simulation.script)
            }.mount(on: &router)
        }
        if let demo {
            try Self.templates { () throws(Diagnostics) in
                try SampleApp(demo.registration, client: options.client, site: assets.site, keyRing: server.keyRing)
            }.mount(on: &router)
        }
        router.get(Route("/")) { _ in .redirect(to: "/console", status: .found) }
        for address in router.addresses { log(.debug, "route", ("address", address)) }
        // Separate from the refusals of teams, because unauthenticated clients can cause many different ones.
        let requests = RequestLog(log: log, refusals: RefusalLog(loop: loop.loop, log: log))
        do {
            return Application(
                routes: try router.frozen(),
                decorate: { refusal, request in
                    if case .failed(let error) = refusal { requests.note(error, request) }
                    return console.respond(to: refusal, request) ?? hosted.respond(to: refusal, request)
                },
                finished: { [refusals] finished in
                    refusals.note(finished.status)
                    requests.note(finished)
                })
        } catch { preconditionFailure("two routes answer the same request: \(error)") }
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

    private func consoleOptions(_ loop: LoopServices, _ demo: Demo?, _ simulation: Simulation?) -> Console.Options {
        let (settings, watch) = (installation.settings, watch)
        var options = Console.Options(
            checks: loop.checks(allowsLoopback: settings.allowsLoopback), client: loop.outgoing.installation,
            pool: pools.signingKeys)
        options.certificateFile = settings.certificateFile(served: certificates)
        options.lacksProxy = settings.lacksTrustedProxy
        options.standIn = simulation?.standIn(in: self)
        options.watchesApple = settings.watchesApple
        options.registryChanged = { watch.announce($0) }
        if demo != nil { options.welcome = { try await DemoMembers(loop).admit($0) } }
        return options
    }

    /// Mounts `/healthz`, which reports that the process answers, and `/readyz`, that it can serve requests.
    private func mountHealth(_ loop: LoopServices, on router: inout Router) {
        let isReady = isReadyCheck
        router.get(Route("/healthz")) { _ in .text("ok\n") }
        router.get(Route("/readyz")) { _ in
            guard isReady(), loop.isReady else {
                var response = Response.text("not ready\n", status: .serviceUnavailable)
                response.append(.retryAfter, "1")
                return response
            }
            return .text("ready\n")
        }
    }
}
