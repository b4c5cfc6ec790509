import Directory
import Platform
import Registry

/// What is left of a stored team after the removals, which are of the objects that the file's lists do not name.
///
/// A list absent from the file removes nothing, and without `--prune` none does.
struct KeptObjects {
    /// In the order of execution.
    private(set) var removals: [PlannedChange] = []
    let appIDs: [AppID]
    private(set) var serviceIDs: [ServiceID] = []
    private(set) var keys: [Key] = []
    private(set) var emailSources: [EmailSource.Draft] = []

    init(of registered: RegisteredTeam, _ file: RegistryFile.Team, prunes: Bool) {
        let entries = prunes ? file.appIDs : nil
        let named = entries.map { Set($0.map(\.identifier)) }
        appIDs = registered.appIDs.filter { named?.contains($0.identifier.rawValue) ?? true }
        let kept = Set(appIDs.map(\.identifier))
        let keyIDs = prunes ? file.keys.map { Set($0.map(\.id)) } : nil
        keys = keep(registered.keys.filter { kept.contains($0.appID) }) { key in
            key.isActive && keyIDs?.contains(key.id.rawValue) == false ? .revokeKey(key) : nil
        }
        let services = Set((entries ?? []).flatMap { $0.serviceIDs ?? [] }.map(\.identifier))
        serviceIDs = keep(registered.serviceIDs.filter { kept.contains($0.appID) }) { service in
            let isListed = entries?.first { $0.identifier == service.appID.rawValue }?.serviceIDs != nil
            return isListed && !services.contains(service.identifier.rawValue) ? .deleteServiceID(service) : nil
        }
        for app in registered.appIDs where !kept.contains(app.identifier) {
            let services = registered.serviceIDs.filter { $0.appID == app.identifier }
            let keys = registered.keys.filter { $0.appID == app.identifier && $0.isActive }
            removals.append(.deleteAppID(app, serviceIDs: services.map(\.identifier), keys: keys.map(\.id)))
        }
        let sources = prunes ? file.emailSources.map { Set($0.map { $0.text.lowercased() }) } : nil
        emailSources = keep(registered.emailSources) { draft in
            sources?.contains(draft.source.text) == false ? .deleteEmailSource(draft.source) : nil
        }
        guard prunes, let users = file.users else { return }
        let logins = Set(users.map { $0.email.lowercased() })
        for user in registered.users where !logins.contains(user.login.rawValue) { removals.append(.deleteUser(user)) }
    }

    /// The objects that stay; the removals of the others are added.
    private mutating func keep<Object>(_ stored: [Object], unless removal: (Object) -> PlannedChange?) -> [Object] {
        stored.filter { object in
            guard let change = removal(object) else { return true }
            removals.append(change)
            return false
        }
    }
}
