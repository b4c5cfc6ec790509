import AuthEngine
import Registry
import Templates
import Web

/// The pages of the registry: App IDs, Service IDs with their domains, keys, Apple, e-mail sources, trials.
struct RegistryPages: Sendable {
    private let appIDs: ResourceFlow<AppIDs>
    private let serviceIDs: ResourceFlow<ServiceIDs>
    private let domains: DomainEndpoints
    private let keys: KeyEndpoints
    private let appleKeys: ResourceFlow<AppleKeys>
    private let appleConnections: ResourceFlow<AppleConnections>
    private let appleEndpoints: AppleConnectionEndpoints
    private let emailSources: EmailSources
    private let emailSourceFlow: ResourceFlow<EmailSources>
    private let trials: TrialEndpoints

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        let stores = RegistryStores(
            parts.database,
            keyRing: parts.context.keyRing,
            random: parts.context.random,
            changed: parts.registryChanged
        )
        let pages = parts.site.pages
        appIDs = try ResourceFlow(AppIDs(stores, pages), stores, pages)
        serviceIDs = try ResourceFlow(ServiceIDs(stores, parts.context, pages), stores, pages)
        domains = try DomainEndpoints(stores, parts, pages)
        keys = try KeyEndpoints(stores, parts.context, pages)
        appleKeys = try ResourceFlow(AppleKeys(stores, pages, parts.standIn), stores, pages)
        let connections = try AppleConnections(stores, parts)
        appleConnections = try ResourceFlow(connections, stores, pages)
        appleEndpoints = AppleConnectionEndpoints(parts, connections)
        emailSources = try EmailSources(stores, parts, pages)
        emailSourceFlow = try ResourceFlow(emailSources, stores, pages)
        trials = try TrialEndpoints(stores, parts)
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
        emailSourceFlow.mount(on: &router)
        emailSourceFlow.mountList(on: &router)
        emailSources.mountChecks(on: &router)
        trials.mount(on: &router)
    }

    static var views: [any View.Type] {
        let clients: [any View.Type] = [
            AppIDListPage.self, NewAppIDPage.self, AppIDPage.self, ServiceIDListPage.self,
            NewServiceIDPage.self, ServiceIDPage.self, DomainPage.self,
        ]
        let keys: [any View.Type] = [
            KeyListPage.self, NewKeyPage.self, KeyPage.self, NewAppleKeyPage.self, AppleKeyPage.self,
            AppleConnectionListPage.self, NewAppleConnectionPage.self, AppleConnectionPage.self,
        ]
        let others: [any View.Type] = [
            EmailSourceListPage.self, NewEmailSourcePage.self, EmailSourcePage.self, ConflictPage.self,
            NewTrialPage.self, TrialPage.self,
        ]
        return clients + keys + others
    }
}
