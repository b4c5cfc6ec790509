import Core
import Crypto
import Directory
import Platform
import Registry

/// Compares the team, its App IDs and Service IDs, keys, e-mail sources and users with the file.
struct TeamPlanner {
    let file: RegistryFile.Team
    let registered: RegisteredTeam
    let options: ApplyOptions
    let kept: KeptObjects
    var found = Findings()

    /// The policy of the team's future mode.
    private var policy: HostPolicy
    /// App IDs after the changes, by identifier.
    var appIDs: [ClientID: AppID.Draft] = [:]

    init(_ file: RegistryFile.Team, _ registered: RegisteredTeam, _ options: ApplyOptions) {
        self.file = file
        self.registered = registered
        self.options = options
        kept = KeptObjects(of: registered, file, prunes: options.prunes)
        policy = registered.policy
    }

    /// The team's id, or nil when it is invalid.
    mutating func planTeam() -> TeamID? {
        guard let team = TeamID(rawValue: file.id) else {
            found.errors.add("id", "A Team ID is 10 characters, A to Z and 0 to 9.")
            return nil
        }
        guard team != .system else {
            found.errors.add(
                "id", "This is the built-in team of the console's own people; it is no team of the registry.")
            return nil
        }
        if case .deleted = registered.state {
            found.errors.add("id", "This was the id of a team that was deleted; ids are not used again.")
        }
        guard let settings = planSettings(team) else { return team }
        policy = registered.policy(of: settings.mode)
        if let old = registered.settings {
            if old != settings { found.add(.updateTeam(team, from: old, to: settings)) }
            if old.mode == .sandbox, settings.mode == .production { checkForLoopback() }
        } else {
            found.add(.createTeam(team, settings))
        }
        return team
    }

    private mutating func planSettings(_ team: TeamID) -> TeamSettings? {
        let old = registered.settings
        let typed = (old?.typed ?? ["name": .string(team.rawValue)]).merging(file.settings) { $1 }
        let settings = found.errors.collect(under: .whole, try TeamSettings(typed, policy: policy))
        let appleKeys = typed["appleKeys"]?.string.flatMap(AppleKeyPublication.init)
        if appleKeys?.takesConfirmation(after: old?.appleKeys) == true, !options.acceptsAppleTokens {
            found.errors.add("appleKeys", Message("console.refusals.apply.apple-keys"))
        }
        return settings
    }

    /// Reports loopback addresses of objects that the file omits, because a production team may have none.
    private mutating func checkForLoopback() {
        let named = Set(file.appIDs?.map(\.identifier) ?? [])
        let namedServices = Set(file.appIDs?.flatMap { $0.serviceIDs ?? [] }.map(\.identifier) ?? [])
        let apps = registered.appIDs.filter { !named.contains($0.identifier.rawValue) }
        let services = registered.serviceIDs.filter { !namedServices.contains($0.identifier.rawValue) }
        for obstacle in apps.compactMap(ProductionObstacle.init) + services.compactMap(ProductionObstacle.init) {
            found.errors.add("mode", obstacle.words)
        }
    }

    mutating func planAppIDs() {
        let entries = file.appIDs ?? []
        found.noteDuplicates(
            entries.enumerated().flatMap { index, app in
                [(FieldPath("appIDs")[index]["identifier"], app.identifier)]
                    + (app.serviceIDs ?? []).enumerated().map { number, service in
                        (FieldPath("appIDs")[index]["serviceIDs"][number]["identifier"], service.identifier)
                    }
            })
        for app in kept.appIDs { appIDs[app.identifier] = app.draft }
        // Primary App IDs go first, so that they exist when others are grouped under them.
        let isGrouped = entries.map { !($0.entry.typed(over: stored($0)?.settings)["primary"]?.string ?? "").isEmpty }
        for isInGroup in [false, true] {
            for (index, entry) in entries.enumerated() where isGrouped[index] == isInGroup {
                planAppID(entry, FieldPath("appIDs")[index])
            }
        }
        for (index, entry) in entries.enumerated() {
            guard let id = ClientID(rawValue: entry.identifier), let draft = appIDs[id] else { continue }
            checkGroup(of: draft, FieldPath("appIDs")[index]["primary"])
        }
    }

    private func stored(_ entry: RegistryFile.AppID) -> AppID? {
        kept.appIDs.first { $0.identifier.rawValue == entry.identifier }
    }

    /// Checks the primary App ID; must be called when all App IDs are planned.
    private mutating func checkGroup(of app: AppID.Draft, _ field: FieldPath) {
        guard let id = app.settings.primary else { return }
        guard let primary = appIDs[id] else { return found.errors.add(field, .unknownAppID(id)) }
        if let top = primary.settings.primary { return found.errors.add(field, .groupedAppID(id, under: top)) }
        let keys = kept.keys.filter { $0.isActive && $0.appID == app.identifier }.map(\.id)
        if !keys.isEmpty { found.errors.add(field, .holdsActiveKeys(keys)) }
    }

    private mutating func planAppID(_ entry: RegistryFile.AppID, _ path: FieldPath) {
        let old = stored(entry)
        let policy = policy
        let draft = found.errors.collect(
            under: path, try AppID.Draft(entry.identifier, entry.entry.typed(over: old?.settings), policy: policy))
        guard let draft else { return }
        appIDs[draft.identifier] = draft
        if let old {
            if draft != old.draft { found.add(.updateAppID(from: old.draft, to: draft)) }
        } else if appIDs.count > Quota.appIDs.count {
            found.errors.add(path["identifier"], .limitReached(.appIDs, of: file.id))
        } else if noteTaken(draft.identifier, path["identifier"]) {
            found.add(.createAppID(draft))
        }
    }

    mutating func planServiceIDs() {
        for (index, app) in (file.appIDs ?? []).enumerated() {
            var count = kept.serviceIDs.count { $0.appID.rawValue == app.identifier }
            for (number, entry) in (app.serviceIDs ?? []).enumerated() {
                planServiceID(entry, of: app, FieldPath("appIDs")[index]["serviceIDs"][number], &count)
            }
        }
    }

    private mutating func planServiceID(
        _ entry: RegistryEntry, of app: RegistryFile.AppID, _ path: FieldPath, _ count: inout Int
    ) {
        let old = kept.serviceIDs.first { $0.identifier.rawValue == entry.identifier }
        // When the App ID's own identifier is invalid, the other members are still checked.
        let appID = ClientID(rawValue: app.identifier)
        let policy = policy
        let draft = found.errors.collect(
            under: path,
            try ServiceID.Draft(
                entry.identifier, of: appID ?? .unnamed, entry.typed(over: old?.settings), policy: policy))
        guard let draft, appID != nil else { return }
        if let old {
            guard old.appID == draft.appID else { return found.errors.add(path, .belongsToAppID(old.appID)) }
            if draft != old.draft { found.add(.updateServiceID(from: old.draft, to: draft)) }
            return
        }
        count += 1
        if count > Quota.serviceIDs.count {
            found.errors.add(path, .limitReached(.serviceIDs, of: app.identifier))
        } else if noteTaken(draft.identifier, path["identifier"]) {
            found.add(.createServiceID(draft))
        }
    }

    /// Whether the identifier is free in the team; adds an error when it is not.
    private mutating func noteTaken(_ identifier: ClientID, _ field: FieldPath) -> Bool {
        let name = identifier.rawValue.lowercased()
        if let app = kept.appIDs.first(where: { $0.identifier.rawValue.lowercased() == name }) {
            found.errors.add(field, .identifierTaken(app.identifier, by: .app))
        } else if let service = kept.serviceIDs.first(where: { $0.identifier.rawValue.lowercased() == name }) {
            found.errors.add(field, .identifierTaken(service.identifier, by: .service))
        } else {
            return true
        }
        return false
    }
}

/// The changes that make one team match the file, in the order of execution: removals first, to free names and ranks.
struct TeamPlan: Sendable {
    /// The team's entry in the file; `path` is its position.
    let entry: RegistryFile.Team
    let path: FieldPath
    let team: TeamID
    let changes: [PlannedChange]

    /// Compares the file's entry of a team with the stored team.
    ///
    /// - Parameters:
    ///   - file: the team's entry; `path` is its position in the file.
    ///   - registered: the stored team.
    /// - Throws: `FieldErrors` with every error that the console would report too.
    init(_ file: RegistryFile.Team, at path: FieldPath, from registered: RegisteredTeam, _ options: ApplyOptions)
        throws(FieldErrors)
    {
        var planner = TeamPlanner(file, registered, options)
        let team = planner.planTeam()
        for removal in planner.kept.removals { planner.found.add(removal) }
        planner.planAppIDs()
        planner.planServiceIDs()
        planner.planKeys()
        planner.planApple()
        planner.planEmailSources()
        planner.planUsers()
        guard let team, planner.found.errors.isEmpty else { throw planner.found.errors.under(path) }
        self.entry = file
        self.path = path
        self.team = team
        changes = planner.found.changes
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

/// A user to be created.
struct PlannedUser: Sendable {
    let email: EmailAddress
    let name: PersonName
    let password: NewPassword?
    let totpSecret: TOTPSecret?

    var login: LoginName { LoginName(email) }
}
