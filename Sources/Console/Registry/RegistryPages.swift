import Domain
import Registry
import Templates
import Web

/// Pages of the registry: App IDs, Service IDs, domains, keys, Apple connections, email sources, test sign-ins.
struct RegistryPages: Sendable {
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
        let stores = RegistryStores(
            parts.database, keyRing: parts.server.keyRing, random: parts.server.random, changed: parts.registryChanged)
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
        appleConnections.mountList(on: &router)
        appleEndpoints.mount(on: &router)
        emailSourceEditor.mount(on: &router)
        emailSourceEditor.mountList(on: &router)
        emailSources.mountChecks(on: &router)
        testSignIns.mount(on: &router)
    }

    static var views: [any View.Type] {
        let clients: [any View.Type] = [
            AppIDListPage.self, NewAppIDPage.self, AppIDPage.self, ServiceIDListPage.self, NewServiceIDPage.self,
            ServiceIDPage.self, DomainPage.self,
        ]
        let keys: [any View.Type] = [
            KeyListPage.self, NewKeyPage.self, KeyPage.self, NewAppleKeyPage.self, AppleKeyPage.self,
            AppleConnectionListPage.self, NewAppleConnectionPage.self, AppleConnectionPage.self,
        ]
        let others: [any View.Type] = [
            EmailSourceListPage.self, NewEmailSourcePage.self, EmailSourcePage.self, ConflictPage.self,
            NewTestSignInPage.self, TestSignInPage.self,
        ]
        return clients + keys + others
    }
}
