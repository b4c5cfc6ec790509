import Directory
import Platform
import Registry

// Objects that the file's lists do not name.
extension TeamPlanner {
    /// Plans the removals and collects the objects that are kept.
    mutating func planRemovals() {
        let prunesAppIDs = options.prunes && file.appIDs != nil
        let named = Set(file.appIDs?.map(\.identifier) ?? [])
        keptAppIDs = registered.appIDs.filter { !prunesAppIDs || named.contains($0.identifier.rawValue) }
        let kept = Set(keptAppIDs.map(\.identifier))
        removeKeys(of: kept)
        removeServiceIDs(of: kept)
        for app in registered.appIDs where !kept.contains(app.identifier) { remove(app) }
        removeEmailSources()
        removeUsers()
    }

    private mutating func remove(_ app: AppID) {
        let services = registered.serviceIDs.filter { $0.appID == app.identifier }
        let keys = registered.keys.filter { $0.appID == app.identifier && $0.isActive }
        add(.deleteAppID(app, serviceIDs: services.map(\.identifier), keys: keys.map(\.id)))
    }

    private mutating func removeKeys(of kept: Set<ClientID>) {
        let named = Set(file.keys?.map(\.id) ?? [])
        for key in registered.keys where kept.contains(key.appID) {
            if options.prunes, file.keys != nil, key.isActive, !named.contains(key.id.rawValue) {
                add(.revokeKey(key))
            } else {
                keptKeys.append(key)
            }
        }
    }

    private mutating func removeServiceIDs(of kept: Set<ClientID>) {
        for service in registered.serviceIDs where kept.contains(service.appID) {
            let named = file.appIDs?.first { $0.identifier == service.appID.rawValue }?.serviceIDs
            let isNamed = file.appIDs?.contains { app in
                app.serviceIDs?.contains { $0.identifier == service.identifier.rawValue } == true
            }
            if options.prunes, named != nil, isNamed != true {
                add(.deleteServiceID(service))
            } else {
                keptServiceIDs.append(service)
            }
        }
    }

    private mutating func removeEmailSources() {
        let named = Set((file.emailSources ?? []).compactMap { ($0.domain ?? $0.address)?.lowercased() })
        for draft in registered.emailSources {
            if options.prunes, file.emailSources != nil, !named.contains(draft.source.text) {
                add(.deleteEmailSource(draft.source))
            } else {
                keptEmailSources.append(draft)
            }
        }
    }

    private mutating func removeUsers() {
        guard options.prunes, let users = file.users else { return }
        let named = Set(users.map { $0.email.lowercased() })
        for user in registered.users where !named.contains(user.login.rawValue) { add(.deleteUser(user)) }
    }
}
