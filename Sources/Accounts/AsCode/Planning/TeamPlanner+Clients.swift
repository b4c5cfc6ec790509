import Platform
import Registry

// App IDs and Service IDs.
extension TeamPlanner {
    mutating func planAppIDs() {
        let entries = file.appIDs ?? []
        noteDuplicates(
            entries.enumerated().flatMap { index, app in
                [("appIDs[\(index)].identifier", app.identifier)]
                    + (app.serviceIDs ?? []).enumerated().map { number, service in
                        ("appIDs[\(index)].serviceIDs[\(number)].identifier", service.identifier)
                    }
            })
        for app in keptAppIDs { appIDs[app.identifier] = app.draft }
        // Primary App IDs go first, so that they exist when others are grouped under them.
        let isGrouped = entries.map { !(AppID.Input($0, over: kept($0)?.draft).primary.isEmpty) }
        for isInGroup in [false, true] {
            for (index, entry) in entries.enumerated() where isGrouped[index] == isInGroup {
                planAppID(entry, "appIDs[\(index)]")
            }
        }
        for (index, entry) in entries.enumerated() {
            guard let id = ClientID(rawValue: entry.identifier), let draft = appIDs[id] else { continue }
            checkGroup(of: draft, "appIDs[\(index)].primary")
        }
    }

    private func kept(_ entry: RegistryFile.AppID) -> AppID? {
        keptAppIDs.first { $0.identifier.rawValue == entry.identifier }
    }

    /// Checks the primary App ID; must be called when all App IDs are planned.
    private mutating func checkGroup(of app: AppID.Draft, _ field: String) {
        guard let id = app.primary else { return }
        guard let primary = appIDs[id] else { return note(field, .unknownAppID(id)) }
        if let top = primary.primary { return note(field, .groupedAppID(id, under: top)) }
        let keys = keptKeys.filter { $0.isActive && $0.appID == app.identifier }.map(\.id)
        if !keys.isEmpty { note(field, .holdsActiveKeys(keys)) }
    }

    private mutating func planAppID(_ entry: RegistryFile.AppID, _ path: String) {
        let old = kept(entry)
        let policy = policy
        let draft = check(path) { () throws(InvalidFields) in
            try AppID.Draft(parsing: AppID.Input(entry, over: old?.draft), policy: policy)
        }
        guard let draft else { return }
        appIDs[draft.identifier] = draft
        if let old {
            if draft != old.draft { add(.updateAppID(from: old.draft, to: draft)) }
        } else if appIDs.count > Quota.appIDs.count {
            note("\(path).identifier", .limitReached(.appIDs, of: file.id))
        } else if noteTaken(draft.identifier, "\(path).identifier") {
            add(.createAppID(draft))
        }
    }

    mutating func planServiceIDs() {
        for (index, app) in (file.appIDs ?? []).enumerated() {
            var count = keptServiceIDs.count { $0.appID.rawValue == app.identifier }
            for (number, entry) in (app.serviceIDs ?? []).enumerated() {
                planServiceID(entry, of: app, "appIDs[\(index)].serviceIDs[\(number)]", &count)
            }
        }
    }

    private mutating func planServiceID(
        _ entry: RegistryFile.ServiceID, of app: RegistryFile.AppID, _ path: String, _ count: inout Int
    ) {
        let old = keptServiceIDs.first { $0.identifier.rawValue == entry.identifier }
        // When the App ID's own identifier is invalid, the other members are still checked.
        let appID = ClientID(rawValue: app.identifier)
        let policy = policy
        let draft = check(path) { () throws(InvalidFields) in
            let input = ServiceID.Input(entry, over: old?.draft)
            return try ServiceID.Draft(parsing: input, of: appID ?? .unnamed, policy: policy)
        }
        guard let draft, appID != nil else { return }
        if let old {
            guard old.appID == draft.appID else { return note(path, .belongsToAppID(old.appID)) }
            if draft != old.draft { add(.updateServiceID(from: old.draft, to: draft)) }
            return
        }
        count += 1
        if count > Quota.serviceIDs.count {
            note(path, .limitReached(.serviceIDs, of: app.identifier))
        } else if noteTaken(draft.identifier, "\(path).identifier") {
            add(.createServiceID(draft))
        }
    }

    /// Whether the identifier is free in the team; adds an error when it is not.
    private mutating func noteTaken(_ identifier: ClientID, _ field: String) -> Bool {
        let name = identifier.rawValue.lowercased()
        if let app = keptAppIDs.first(where: { $0.identifier.rawValue.lowercased() == name }) {
            note(field, .identifierTaken(app.identifier, by: .app))
        } else if let service = keptServiceIDs.first(where: { $0.identifier.rawValue.lowercased() == name }) {
            note(field, .identifierTaken(service.identifier, by: .service))
        } else {
            return true
        }
        return false
    }
}

extension ClientID {
    /// Placeholder for an App ID whose identifier was rejected, used only for validation.
    fileprivate static let unnamed = ClientID(known: "unnamed.app")

    private init(known text: String) {
        guard let identifier = ClientID(rawValue: text) else { preconditionFailure("\(text) is an identifier") }
        self = identifier
    }
}

extension AppID.Input {
    /// The file's values over the stored ones; the default description of a new App ID is its identifier.
    fileprivate init(_ entry: RegistryFile.AppID, over old: AppID.Draft?) {
        if let old { self.init(old) } else { self.init(identifier: entry.identifier, description: entry.identifier) }
        if let description = entry.description { self.description = description }
        if let notificationURL = entry.notificationURL { self.notificationURL = notificationURL }
        if let primary = entry.primary { self.primary = primary }
        if let signIn = entry.signIn { isEnabled = signIn }
        if let issuer = entry.issuer { self.issuer = issuer }
    }
}

extension ServiceID.Input {
    fileprivate init(_ entry: RegistryFile.ServiceID, over old: ServiceID.Draft?) {
        if let old { self.init(old) } else { self.init(identifier: entry.identifier, description: entry.identifier) }
        if let description = entry.description { self.description = description }
        if let domains = entry.domains { self.domains = domains }
        if let returnURLs = entry.returnURLs { self.returnURLs = returnURLs }
        if let issuer = entry.issuer { self.issuer = issuer }
        if let booleans = entry.booleans { self.booleans = booleans }
        if let requiresPKCE = entry.requirePKCE { self.requiresPKCE = requiresPKCE }
    }
}
