import AuthEngine
import Console
import Directory
import Domain
import EventLoop
import HTTP
import Log
import Mail
import Postgres
import SampleApp
import SignIn
import Simulator
import Templates
import Tenancy
import Web

/// What is served: built once for each loop from the same settings.
struct Serving {
    let settings: Settings
    let context: EngineContext
    let hasher: PasswordHasher
    let pools: Pools
    let watch: RegistryWatch
    /// What was refused for now, of all loops.
    let refusalCount: RefusalCount
    let log: Log
    let demo: Demo?
    /// What the stand-in for Apple does; nil where Apple is Apple.
    let script: Script?
    /// Where values are registered at the stand-in.
    let standIn: AppleStandIn?
    /// What is known of the certificate that is served; nil without TLS.
    let certificates: CertificateRenewal?
    /// Whether the server still takes requests.
    let isOpen: @Sendable () -> Bool
    /// Where the requests under way are noted; nowhere where nobody would read it.
    let page: SharedPage?

    /// The applications of the loops, in their order.
    ///
    /// - Throws: `CommandFailure` with every fault of every template, and for public files that cannot be read.
    func applications(_ workers: [Worker], _ look: Look) throws(CommandFailure) -> [Application] {
        let limits = AttemptLimits()
        var applications: [Application] = []
        for (index, worker) in workers.enumerated() {
            let board = page?.board(ofLoop: index)
            applications.append(try application(worker, look.site, look.assets, limits, board))
        }
        return applications
    }

    /// Reads templates, texts and public files.
    func look() throws(CommandFailure) -> Look {
        let assets = try assets()
        return Look(assets: assets, site: try site(assets))
    }

    private func application(
        _ worker: Worker,
        _ site: Site,
        _ assets: Assets,
        _ limits: AttemptLimits,
        _ board: RequestBoard?
    ) throws(CommandFailure) -> Application {
        let signIn = try signIn(worker, site, limits)
        let console = try console(worker, site)
        var router = Router()
        assets.declare(in: &router)
        Health(worker: worker, isOpen: isOpen).mount(on: &router)
        Metrics(worker: worker, token: settings.metricsToken) { try await console.isOperator($0) }
            .mount(on: &router)
        signIn.mount(on: &router)
        console.mount(on: &router)
        if let script { try simulator(script, worker, site, signIn).mount(on: &router) }
        if let demo { try sampleApp(demo, worker, site).mount(on: &router) }
        router.get(Route("/")) { _ in .redirect(to: "/console", status: .found) }
        for address in router.addresses { log(.debug, "route", ("address", address)) }
        // Apart from those of teams, of which strangers may cause many kinds.
        let refusals = RefusalLog(loop: worker.loop, log: log)
        let (requests, failures) = (
            RequestLog(log: log, refusals: refusals), Failures(log: log, refusals: refusals)
        )
        do {
            return Application(
                routes: try router.frozen(),
                dress: { refusal, request in
                    if case .failed(let error) = refusal { failures.note(error, request) }
                    return console.respond(to: refusal, request) ?? signIn.respond(to: refusal, request)
                },
                started: { board?.enter($0) },
                finished: { [refusalCount] finished in
                    board?.leave(finished.request.id)
                    refusalCount.note(finished.status)
                    requests.note(finished)
                }
            )
        } catch {
            preconditionFailure("two routes answer the same request: \(error)")
        }
    }

    private func signIn(
        _ worker: Worker,
        _ site: Site,
        _ limits: AttemptLimits
    ) throws(CommandFailure) -> SignIn {
        let database = TeamDatabase(worker.app)
        guard let relay = RelayDomain(context.relayDomain) else {
            throw CommandFailure("--relay-domain \(context.relayDomain) is not a host name for mail")
        }
        do {
            return try SignIn(
                SignIn.Parts(
                    site: site,
                    context: context,
                    teams: worker.teams,
                    database: database,
                    trials: TrialStore(database: database, keyRing: context.keyRing),
                    passwords: PasswordSignIn(database, hasher: hasher),
                    hasher: hasher,
                    sessions: SessionStore(database),
                    factors: factors(worker),
                    consents: ConsentStore(database, relay: relay),
                    limits: limits,
                    mail: worker.mail,
                    flows: worker.flows,
                    apple: worker.apple,
                    log: log
                )
            )
        } catch {
            throw CommandFailure(error.all.map(\.description))
        }
    }

    private func factors(_ worker: Worker) -> SecondFactors {
        SecondFactors(
            TeamDatabase(worker.app),
            rights: AccountRightsStore(SystemDatabase(worker.system)),
            context: context,
            sparesRoles: settings.publicURL.isLoopback
        )
    }

    private func console(_ worker: Worker, _ site: Site) throws(CommandFailure) -> Console {
        let (database, demo) = (TeamDatabase(worker.app), demo)
        do {
            return try Console(
                Console.Parts(
                    site: site,
                    context: context,
                    database: database,
                    system: SystemDatabase(worker.system),
                    sessions: SessionStore(database),
                    mail: worker.mail,
                    gate: factors(worker).gate,
                    hasher: hasher,
                    trials: TrialStore(database: database, keyRing: context.keyRing),
                    checks: worker.checks(allowsLoopback: settings.allowsLoopback),
                    apple: worker.apple,
                    client: worker.outgoing.house,
                    certificateFile: settings.certificateFile(served: certificates),
                    lacksProxy: settings.lacksTrustedProxy,
                    standIn: standIn,
                    watchesApple: settings.watchesApple,
                    teams: worker.teams,
                    flows: worker.flows,
                    jobs: worker.jobs,
                    registryChanged: { [watch] team in watch.announce(team) },
                    welcome: { account in
                        if demo != nil { try await DemoMembers(worker).admit(account) }
                    },
                    pool: pools.signingKeys,
                    log: log
                )
            )
        } catch {
            throw CommandFailure(error.all.map(\.description))
        }
    }

    private func simulator(
        _ script: Script,
        _ worker: Worker,
        _ site: Site,
        _ signIn: SignIn
    ) throws(CommandFailure) -> Simulator {
        do {
            return try Simulator(
                Simulator.Parts(
                    site: site,
                    context: context,
                    teams: worker.teams,
                    database: TeamDatabase(worker.app),
                    flows: worker.flows,
                    signIn: signIn
                ),
                script: script
            )
        } catch {
            throw CommandFailure(error.all.map(\.description))
        }
    }

    private func sampleApp(_ demo: Demo, _ worker: Worker, _ site: Site) throws(CommandFailure) -> SampleApp {
        do {
            return try SampleApp(
                demo.registration,
                client: worker.outgoing.house,
                site: site,
                keyRing: context.keyRing
            )
        } catch {
            throw CommandFailure(error.all.map(\.description))
        }
    }

    private func assets() throws(CommandFailure) -> Assets {
        do {
            return try Assets(
                folder: settings.resources.publicFiles,
                fields: [HeaderField(.xContentTypeOptions, "nosniff")]
            )
        } catch {
            throw CommandFailure("the public files cannot be read: \(error)")
        }
    }

    private func site(_ assets: Assets) throws(CommandFailure) -> Site {
        let pages: Pages
        do {
            pages = try Pages(
                folder: settings.resources.templates,
                texts: settings.resources.texts,
                isWatching: settings.watchesTemplates
            )
            try pages.check(
                SignIn.views + Console.views + SampleApp.views + Simulator.views + LetterWriter.views,
                TextArea.all
            )
        } catch {
            throw CommandFailure(error.all.map(\.description))
        }
        guard let css = assets.link("pippin.css"), let logo = assets.link("pippin.svg"),
            let icons = assets.link("icons.svg"),
            let js = assets.link("pippin.js").flatMap(SafeURL.init(vetted:)),
            let exit = assets.link("exit.js").flatMap(SafeURL.init(vetted:)),
            let factors = assets.link("factors.js").flatMap(SafeURL.init(vetted:))
        else { throw CommandFailure("a public file is missing in \(settings.resources.publicFiles)") }
        return Site(
            publicURL: context.publicURL,
            pages: pages,
            assets: AssetLinks(css: css, js: js, exit: exit, factors: factors, logo: logo, icons: icons),
            keyRing: context.keyRing
        )
    }
}

/// What all loops serve alike.
struct Look: Sendable {
    let assets: Assets
    let site: Site
}

/// `/healthz`: the process answers.
///
/// `/readyz`: it could do its work.
struct Health: Sendable {
    let worker: Worker
    let isOpen: @Sendable () -> Bool

    func mount(on router: inout Router) {
        router.get(Route("/healthz"), .immediate) { _ in .text("ok\n") }
        router.get(Route("/readyz"), .immediate) { _ in
            guard isOpen(), worker.isReady else {
                var response = Response.text("not ready\n", status: .serviceUnavailable)
                response.append(.retryAfter, "1")
                return response
            }
            return .text("ready\n")
        }
    }
}
