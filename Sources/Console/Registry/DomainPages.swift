import Accounts
import Core
import Directory
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Handlers of a Service ID's domain: result of the last check, download of the association file, new check.
struct DomainEndpoints: Sendable {
    private let registry: RegistryStores
    private let checks: RegistryChecks
    private let database: TeamDatabase
    private let clock: @Sendable () -> Timestamp
    private let show: LivePage<DomainPage>

    /// - Throws: `Diagnostics` if a template does not match its page.
    init(_ registry: RegistryStores, _ parts: Console.Parts, _ pages: Pages) throws(Diagnostics) {
        self.registry = registry
        checks = parts.checks
        database = parts.database
        clock = parts.server.clock
        show = try pages.page(DomainPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(RegistryRoutes.domain, needs: .read, at: .serviceIDs) { context, name in
            let domain = try await find(name, context)
            return context.site.respond(show, page(of: domain, context))
        }
        router.get(RegistryRoutes.associationFile, needs: .read, at: .serviceIDs) { context, name in
            // A type that no browser or editor changes.
            .attachment(
                try await find(name, context).file.content, named: AssociationFile.name,
                type: "application/octet-stream")
        }
        router.post(RegistryRoutes.domainChecks, needs: .changeRegistry, at: .serviceIDs) { context, _, name in
            try await check(context, try await find(name, context))
        }
    }

    private func find(_ name: String, _ context: TeamContext) async throws -> RegisteredDomain {
        guard let domain = try await registry.domains.find(name, in: context.teamID) else {
            throw UserFacingError.notFound
        }
        return domain
    }

    private func page(of domain: RegisteredDomain, _ context: TeamContext) -> DomainPage {
        DomainPage(
            frame: context.frame(domain.name.text), team: context.teamID, domain: domain,
            isNeeded: context.team.configuration.policy.requiresVerifiedDomains,
            checkURL: context.may(.changeRegistry)
                ? RegistryRoutes.domainChecks.link(context.teamID, domain.name.text) : nil)
    }

    private func check(_ context: TeamContext, _ domain: RegisteredDomain) async throws -> Response {
        try await database.count([RateLimit.Use(.probes, by: .team)], in: context.teamID, at: clock())
        let checked = try await checks.check(domain, in: context.teamID, by: context.actor, from: context.origin)
        guard let checked, let finding = checked.finding else { throw UserFacingError.notFound }
        if checked.isVerified != domain.isVerified { registry.changed(context.teamID) }
        let said = Message("console.domains.flash.checked", ["domain": domain.name.text])
        let flash: Flash = finding.kind == .served ? .good(said) : .warn(finding.headline)
        return context.redirect(to: RegistryRoutes.domain.link(context.teamID, domain.name.text), saying: flash)
    }
}

/// Page of one domain: the result of the last check, and the file that it must serve.
struct DomainPage: ConsolePage {
    static let template = "console/domains/show"
    static let fields = frameFields.with {
        $0.text("name") { $0.domain.name.text }
        $0.group("state", BadgeView.fields) { $0.domain.badge }
        $0.optionalGroup("checked", TimeView.fields) { $0.domain.checkedAt.map(TimeView.init) }
        $0.optionalText("checkURL") { $0.checkURL }
        $0.optionalGroup("lapses", TimeView.fields) { $0.lapses }
        $0.optionalGroup("finding", findingFields) { $0.domain.finding }
        $0.optionalWords("advice") { $0.domain.advice(isNeeded: $0.isNeeded) }
        $0.group("address", CopyView.fields) { page in
            CopyView(Message("console.domains.address"), page.domain.associationURL)
        }
        $0.group("fileContent", CopyView.fields) { page in
            CopyView(Message("console.domains.content"), page.domain.file.content)
        }
        $0.text("fileURL") { RegistryRoutes.associationFile.link($0.team, $0.domain.name.text) }
        $0.text("fileName") { _ in AssociationFile.name }
        $0.rows("serviceIDs") { page in
            page.domain.serviceIDs.map { ListRow($0.rawValue, at: ConsoleRoutes.serviceID.link(page.team, $0)) }
        }
    }

    private static let findingFields = Fields<DomainFinding> {
        $0.flag("good") { $0.kind == .served }
        $0.words("headline") { $0.headline }
        $0.optionalText("status") { $0.status.map { String($0) } }
        $0.optionalText("location") { $0.kind == .redirected ? $0.detail : nil }
        $0.optionalText("beginning") { finding in
            [.otherStatus, .otherContent].contains(finding.kind) ? finding.detail : nil
        }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let domain: RegisteredDomain
    /// Whether the team accepts return URLs on verified domains only.
    let isNeeded: Bool
    let checkURL: String?

    /// Time at which a verified domain with failing checks becomes unverified.
    private var lapses: TimeView? {
        guard case .failing(let since) = domain.state else { return nil }
        return TimeView(since + RegisteredDomain.grace)
    }
}

extension RegisteredDomain {
    var badge: BadgeView {
        switch state {
        case .pending: BadgeView(.plain, Message("console.domains.state.pending"))
        case .verified: BadgeView(.good, Message("console.domains.state.verified"))
        case .failing: BadgeView(.warn, Message("console.domains.state.failing"))
        case .unverified: BadgeView(isOwnMachine ? .plain : .bad, Message("console.domains.state.unverified"))
        }
    }
}

/// Pages of the registry: App IDs, Service IDs, domains, keys, Apple connections, email sources, test sign-ins.
struct RegistryPages: ConsolePages {
    private let appIDs: ResourceEditor<AppIDResource>
    private let serviceIDs: ResourceEditor<ServiceIDResource>
    private let domains: DomainEndpoints
    private let keys: KeyEndpoints
    private let appleKeys: ResourceEditor<AppleKeyResource>
    private let appleConnections: ResourceEditor<AppleConnectionResource>
    private let appleEndpoints: AppleConnectionEndpoints
    private let emailSources: EmailSourceResource
    private let emailSourceEditor: ResourceEditor<EmailSourceResource>
    private let testSignIns: TestSignInEndpoints

    /// - Throws: `Diagnostics` if a template does not match its page.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        let stores = RegistryStores(parts)
        let pages = parts.site.pages
        appIDs = try ResourceEditor(AppIDResource(stores, parts.server, pages), stores, pages)
        serviceIDs = try ResourceEditor(ServiceIDResource(stores, parts.server, pages), stores, pages)
        domains = try DomainEndpoints(stores, parts, pages)
        keys = try KeyEndpoints(stores, parts.server, pages)
        appleKeys = try ResourceEditor(AppleKeyResource(stores, pages, parts.standIn), stores, pages)
        let connections = try AppleConnectionResource(stores, parts)
        appleConnections = try ResourceEditor(connections, stores, pages)
        appleEndpoints = AppleConnectionEndpoints(parts, connections)
        emailSources = try EmailSourceResource(stores, parts, pages)
        emailSourceEditor = try ResourceEditor(emailSources, stores, pages)
        testSignIns = try TestSignInEndpoints(stores, parts)
    }

    func mount(on router: inout ConsoleRouter) {
        appIDs.mount(on: &router)
        appIDs.mountList(on: &router)
        serviceIDs.mount(on: &router)
        serviceIDs.mountList(on: &router)
        domains.mount(on: &router)
        keys.mount(on: &router)
        appleKeys.mount(on: &router)
        appleConnections.mount(on: &router)
        appleEndpoints.mount(on: &router)
        emailSourceEditor.mount(on: &router)
        emailSourceEditor.mountList(on: &router)
        emailSources.mountChecks(on: &router)
        testSignIns.mount(on: &router)
    }

    static var views: [any View.Type] {
        [
            AppIDPage.self, ServiceIDPage.self, DomainPage.self, KeyListPage.self, KeyPage.self, AppleKeyPage.self,
            AppleConnectionListPage.self, NewAppleConnectionPage.self, AppleConnectionPage.self, EmailSourcePage.self,
            NewTestSignInPage.self, TestSignInPage.self,
        ]
    }
}

/// Routes of a team's registry; each action on an object is a resource with its own path.
enum RegistryRoutes {
    static let appIDs = ResourceRoutes(
        list: ConsoleRoutes.appIDs, new: ConsoleRoutes.newAppID, one: ConsoleRoutes.appID,
        deletion: Route("/console/:team/app-ids/:app/deletion", TeamID.self, ClientID.self),
        check: Route("/console/:team/checks/app-ids", TeamID.self),
        checkOne: Route("/console/:team/checks/app-ids/:app", TeamID.self, ClientID.self))
    static let serviceIDs = ResourceRoutes(
        list: ConsoleRoutes.serviceIDs, new: ConsoleRoutes.newServiceID, one: ConsoleRoutes.serviceID,
        deletion: Route("/console/:team/service-ids/:service/deletion", TeamID.self, ClientID.self),
        check: Route("/console/:team/checks/service-ids", TeamID.self),
        checkOne: Route("/console/:team/checks/service-ids/:service", TeamID.self, ClientID.self))
    static let emailSources = ResourceRoutes(
        list: Route("/console/:team/email-sources", TeamID.self),
        new: Route("/console/:team/email-sources/new", TeamID.self),
        one: Route("/console/:team/email-sources/:source", TeamID.self, String.self),
        deletion: Route("/console/:team/email-sources/:source/deletion", TeamID.self, String.self),
        check: Route("/console/:team/checks/email-sources", TeamID.self),
        checkOne: Route("/console/:team/checks/email-sources/:source", TeamID.self, String.self))
    static let appleKeys = ResourceRoutes(
        list: Route("/console/:team/apple-keys", TeamID.self), new: Route("/console/:team/apple-keys/new", TeamID.self),
        one: Route("/console/:team/apple-keys/:key", TeamID.self, KeyID.self),
        deletion: Route("/console/:team/apple-keys/:key/deletion", TeamID.self, KeyID.self),
        check: Route("/console/:team/checks/apple-keys", TeamID.self),
        checkOne: Route("/console/:team/checks/apple-keys/:key", TeamID.self, KeyID.self))

    static let appleConnections = ResourceRoutes(
        list: Route("/console/:team/apple", TeamID.self), new: Route("/console/:team/apple/new", TeamID.self),
        one: Route("/console/:team/apple/:app", TeamID.self, ClientID.self),
        deletion: Route("/console/:team/apple/:app/deletion", TeamID.self, ClientID.self),
        check: Route("/console/:team/checks/apple", TeamID.self),
        checkOne: Route("/console/:team/checks/apple/:app", TeamID.self, ClientID.self))
    static let appleTests = Route("/console/:team/apple/:app/tests", TeamID.self, ClientID.self)
    static let appleStandIn = Route("/console/:team/apple/:app/stand-in", TeamID.self, ClientID.self)

    static let emailSourceChecks = Route("/console/:team/email-sources/:source/checks", TeamID.self, String.self)
    static let domain = Route("/console/:team/domains/:domain", TeamID.self, String.self)
    static let domainChecks = Route("/console/:team/domains/:domain/checks", TeamID.self, String.self)
    static let associationFile = Route("/console/:team/domains/:domain/association-file", TeamID.self, String.self)
    static let keyDownload = Route("/console/:team/keys/:key/download", TeamID.self, KeyID.self)
    static let keyRevocation = Route("/console/:team/keys/:key/revocation", TeamID.self, KeyID.self)
}
