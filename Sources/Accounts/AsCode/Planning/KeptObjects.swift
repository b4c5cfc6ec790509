import Directory
import Platform
import Registry

/// What is left of a stored team after the removals, which are of the objects that the file's lists do not name.
///
/// A list absent from the file removes nothing, and without `--prune` none does.
struct KeptObjects {
    /// In the order of execution.
    private(set) var removals: [Change] = []
    let appIDs: [AppID]
    private(set) var serviceIDs: [ServiceID] = []
    private(set) var keys: [Key] = []
    private(set) var emailSources: [EmailSource.Draft] = []

    init(of registered: RegisteredTeam, _ file: RegistryFile.Team, prunes: Bool) {
        let named = prunes ? file.appIDs.map { Set($0.map(\.identifier)) } : nil
        appIDs = registered.appIDs.filter { named?.contains($0.identifier.rawValue) ?? true }
        let kept = Set(appIDs.map(\.identifier))
        removeKeys(of: registered.keys.filter { kept.contains($0.appID) }, prunes ? file.keys : nil)
        removeServiceIDs(of: registered.serviceIDs.filter { kept.contains($0.appID) }, prunes ? file.appIDs : nil)
        for app in registered.appIDs where !kept.contains(app.identifier) {
            let services = registered.serviceIDs.filter { $0.appID == app.identifier }
            let keys = registered.keys.filter { $0.appID == app.identifier && $0.isActive }
            removals.append(.deleteAppID(app, serviceIDs: services.map(\.identifier), keys: keys.map(\.id)))
        }
        removeEmailSources(of: registered.emailSources, prunes ? file.emailSources : nil)
        guard prunes, let users = file.users else { return }
        let logins = Set(users.map { $0.email.lowercased() })
        for user in registered.users where !logins.contains(user.login.rawValue) { removals.append(.deleteUser(user)) }
    }

    private mutating func removeKeys(of stored: [Key], _ entries: [RegistryFile.Key]?) {
        let named = entries.map { Set($0.map(\.id)) }
        for key in stored {
            if let named, key.isActive, !named.contains(key.id.rawValue) {
                removals.append(.revokeKey(key))
            } else {
                keys.append(key)
            }
        }
    }

    private mutating func removeServiceIDs(of stored: [ServiceID], _ entries: [RegistryFile.AppID]?) {
        let named = Set((entries ?? []).flatMap { $0.serviceIDs ?? [] }.map(\.identifier))
        for service in stored {
            let app = entries?.first { $0.identifier == service.appID.rawValue }
            if app?.serviceIDs != nil, !named.contains(service.identifier.rawValue) {
                removals.append(.deleteServiceID(service))
            } else {
                serviceIDs.append(service)
            }
        }
    }

    private mutating func removeEmailSources(of stored: [EmailSource.Draft], _ entries: [RegistryFile.EmailSource]?) {
        let named = entries.map { Set($0.compactMap { ($0.domain ?? $0.address)?.lowercased() }) }
        for draft in stored {
            if let named, !named.contains(draft.source.text) {
                removals.append(.deleteEmailSource(draft.source))
            } else {
                emailSources.append(draft)
            }
        }
    }
}
