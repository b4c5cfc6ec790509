import AuthEngine
import Templates
import Web

/// The pages of the registry: App IDs, Service IDs, keys, trials.
struct RegistryPages: Sendable {
    private let appIDs: AppIDEndpoints
    private let serviceIDs: ServiceIDEndpoints
    private let keys: KeyEndpoints
    private let trials: TrialEndpoints

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        let stores = RegistryStores(
            parts.database,
            keyRing: parts.context.keyRing,
            random: parts.context.random,
            changed: parts.registryChanged
        )
        appIDs = try AppIDEndpoints(stores, parts.site.pages)
        serviceIDs = try ServiceIDEndpoints(stores, parts.context, parts.site.pages)
        keys = try KeyEndpoints(stores, parts.context, parts.site.pages)
        trials = try TrialEndpoints(stores, parts)
    }

    func mount(on router: inout ConsoleRouter) {
        appIDs.mount(on: &router)
        serviceIDs.mount(on: &router)
        keys.mount(on: &router)
        trials.mount(on: &router)
    }

    static var views: [any View.Type] {
        [
            AppIDListPage.self, NewAppIDPage.self, AppIDPage.self, ServiceIDListPage.self,
            NewServiceIDPage.self,
            ServiceIDPage.self, KeyListPage.self, NewKeyPage.self, KeyPage.self, ConflictPage.self,
            NewTrialPage.self, TrialPage.self,
        ]
    }
}
