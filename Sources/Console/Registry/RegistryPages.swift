import HTTP
import Platform
import Registry
import SignIn
import Templates

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
