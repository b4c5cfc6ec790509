import Core
import Crypto
import Directory
import Platform
import Postgres
import Registry

/// Brings one team to its entry of a registry file, in the caller's transaction, by the saves that the console makes.
///
/// A rule that a save breaks is a fault at the path of what breaks it, and nothing of that save stays. The plan is what
/// the saves record in the audit log. With faults the caller rolls everything back.
struct TeamApply: Sendable {
    static let reason = "absent from the registry file"

    /// An object of the entry to be saved.
    fileprivate enum Object {
        case appID(RegistryFile.AppID)
        case serviceID(RegistryEntry, of: ClientID)
        case key(RegistryFile.Key)
        case apple(RegistryFile.Apple, of: ClientID)
        case emailSource(RegistryFile.EmailSource)
    }

    let stores: Provisioner
    /// The team of the entry; for an id that no team can have, one in which the rest of the entry is checked.
    let team: TeamID
    let entry: RegistryFile.Team
    /// Position of the entry in the file.
    let path: FieldPath
    let options: ApplyOptions
    /// Whether the changes are made to be rolled back.
    let isRehearsal: Bool
    private var members: MemberApply
    private(set) var users: UserApply
    private(set) var errors = FieldErrors()
    /// One line per recorded event.
    private(set) var lines: [String] = []

    private var policy: HostPolicy
    private var registered = RegisteredTeam()

    /// - Parameter hashes: hashes of the passwords of users to be created; nil in a rehearsal, which finds out which.
    init(
        _ entry: RegistryFile.Team, at path: FieldPath, _ options: ApplyOptions, hashes: [LoginName: PasswordHash]?,
        unchanged: Set<LoginName> = [], _ stores: Provisioner
    ) {
        (self.stores, self.entry, self.path, self.options) = (stores, entry, path, options)
        isRehearsal = hashes == nil
        let id = TeamID(rawValue: entry.id).flatMap { $0 == .system ? nil : $0 }
        team = id ?? TeamID(random: .system)
        members = MemberApply(entry, at: path["members"], options, stores)
        users = UserApply(entry, at: path["users"], options, hashes: hashes, unchanged: unchanged, stores)
        policy = stores.policy(of: .production)
    }

    mutating func run(_ change: borrowing Change) async throws {
        if entry.id == TeamID.system.rawValue {
            errors.add(
                path["id"], "This is the built-in team of the console's own people; it is no team of the registry.")
        } else if entry.id != team.rawValue {
            errors.add(path["id"], "A Team ID is 10 characters, A to Z and 0 to 9.")
        }
        guard try await saveTeam(change) else { return }
        try await save(objects(), change)
        try await members.save(change)
        errors.add(members.errors)
        lines = change.takeEvents().map { $0.line(naming: members.logins) }
        try await users.save(change)
        errors.add(users.errors)
        lines += users.lines
    }

    /// Makes or changes the team, and removes what its lists do not name: first, to free names and ranks.
    ///
    /// - Returns: false if there can be no such team.
    private mutating func saveTeam(_ change: borrowing Change) async throws -> Bool {
        let team = try await TeamStore.lock(change)
        let old = team?.settings
        let typed = (old?.typed ?? ["name": .string(change.team.rawValue)]).merging(entry.settings) { $1 }
        let mode = typed["mode"]?.string.flatMap(TeamMode.init) ?? .production
        policy = stores.policy(of: mode)
        let settings = errors.collect(under: path, try TeamSettings(typed, policy: policy))
        members.teamName = settings?.name.rawValue ?? change.team.rawValue
        let appleKeys = typed["appleKeys"]?.string.flatMap(AppleKeyPublication.init)
        if appleKeys?.takesConfirmation(after: old?.appleKeys) == true, !options.acceptsAppleTokens {
            errors.add(path["appleKeys"], Message("console.refusals.apply.apple-keys"))
        }
        guard let team else { return try await create(settings, mode, change) }
        guard team.closedAt == nil else { return noteDeleted() }
        users.teamName = team.settings.name.rawValue
        if let settings, settings != old {
            try saved(try await stores.teams.update(to: settings, version: team.version, change))
        }
        registered = try await stores.registry(change)
        if options.prunes {
            try await removeAbsent(change)
            registered = try await stores.registry(change)
        }
        if team.settings.mode == .sandbox, mode == .production { checkForLoopback() }
        return true
    }

    /// - Parameter settings: nil if they have errors; the rest of the entry is then checked in a team of this mode.
    private mutating func create(_ settings: TeamSettings?, _ mode: TeamMode, _ change: borrowing Change) async throws
        -> Bool
    {
        let plain: Typed = ["name": .string(change.team.rawValue), "mode": .string(mode.rawValue)]
        do {
            try await TeamStore.create(settings ?? TeamSettings(plain, policy: policy), owner: nil, change)
            try await stores.prepareTeam(change)
            return true
        } catch TeamStore.Failure.idTaken {
            // Made meanwhile, or deleted before.
            guard try await TeamStore.lock(change) != nil else { return noteDeleted() }
            errors = FieldErrors()
            return try await saveTeam(change)
        }
    }

    private mutating func noteDeleted() -> Bool {
        errors = FieldErrors(path["id"], "This was the id of a team that was deleted; ids are not used again.")
        return false
    }

    /// Reports loopback addresses of objects that the file omits, because a production team may have none.
    private mutating func checkForLoopback() {
        let named = Set((entry.appIDs ?? []).flatMap { [$0.identifier] + ($0.serviceIDs ?? []).map(\.identifier) })
        let apps = registered.appIDs.filter { !named.contains($0.identifier.rawValue) }
        let services = registered.serviceIDs.filter { !named.contains($0.identifier.rawValue) }
        for obstacle in apps.compactMap(ProductionObstacle.init) + services.compactMap(ProductionObstacle.init) {
            errors.add(path["mode"], obstacle.words)
        }
    }

    /// Removes what a list of the file does not name; a list that is absent removes nothing.
    private mutating func removeAbsent(_ change: borrowing Change) async throws {
        let apps = entry.appIDs.map { Dictionary($0.map { ($0.identifier, $0) }) { first, _ in first } }
        if let keys = entry.keys.map({ Set($0.map(\.id)) }) {
            // Those of an App ID that is removed go with it.
            for key in registered.keys
            where key.isActive && !keys.contains(key.id.rawValue) && (apps == nil || apps?[key.appID.rawValue] != nil) {
                _ = try await stores.keys.revoke(key.id, reason: Self.reason, change)
            }
        }
        let services = Set((entry.appIDs ?? []).flatMap { $0.serviceIDs ?? [] }.map(\.identifier))
        for service in registered.serviceIDs
        where apps?[service.appID.rawValue]?.serviceIDs != nil && !services.contains(service.identifier.rawValue) {
            _ = try await stores.serviceIDs.delete(service.identifier, reason: Self.reason, change)
        }
        for app in registered.appIDs where apps != nil {
            if let entry = apps?[app.identifier.rawValue] {
                if entry.isApart { try await disconnect(app.identifier, change) }
            } else {
                _ = try await stores.appIDs.delete(app.identifier, reason: Self.reason, change)
            }
        }
        if let sources = entry.emailSources.map({ Set($0.map { $0.text.lowercased() }) }) {
            for draft in registered.emailSources where !sources.contains(draft.source.text) {
                _ = try await stores.emailSources.delete(draft.source, reason: nil, change)
            }
        }
    }

    /// Ends the run where somebody else changed or removed the object after it was read.
    private func saved<Value>(_ update: Update<Value>) throws {
        guard case .saved = update else { throw ChangedMeanwhile() }
    }

    private struct ChangedMeanwhile: Error, CustomStringConvertible {
        var description: String { "the team was changed meanwhile; apply the file again" }
    }

    /// Notes errors that ended the transaction.
    mutating func fail(_ errors: FieldErrors) { self.errors.add(errors) }

    private func disconnect(_ app: ClientID, _ change: borrowing Change) async throws {
        _ = try await stores.appleConnections.delete(of: app, reason: Self.reason, change)
        for key in registered.appleKeys where key.appID == app {
            _ = try await stores.appleKeys.delete(key.id, reason: Self.reason, change)
        }
    }

    /// The objects in the order of their first saves; one that is named a second time is a fault.
    private mutating func objects() -> [(path: FieldPath, object: Object)] {
        var (apps, services, apples): ([(FieldPath, Object)], [(FieldPath, Object)], [(FieldPath, Object)]) = (
            [], [], []
        )
        var seen: Set<String> = []
        for (index, app) in (entry.appIDs ?? []).enumerated() {
            let path = path["appIDs"][index]
            let id = ClientID(rawValue: app.identifier) ?? .unnamed
            let isNew = isFirst(app.identifier, path["identifier"], &seen)
            if isNew { apps.append((path, .appID(app))) }
            for (number, service) in (app.serviceIDs ?? []).enumerated() {
                let path = path["serviceIDs"][number]
                guard isFirst(service.identifier, path["identifier"], &seen) else { continue }
                services.append((path, .serviceID(service, of: id)))
            }
            if isNew, let apple = app.apple { apples.append((path["apple"], .apple(apple, of: id))) }
        }
        seen = []
        var others: [(FieldPath, Object)] = []
        for (index, key) in (entry.keys ?? []).enumerated() {
            let path = path["keys"][index]
            if isFirst(key.id, path["id"], &seen) { others.append((path, .key(key))) }
        }
        seen = []
        for (index, source) in (entry.emailSources ?? []).enumerated() {
            let path = path["emailSources"][index]
            if isFirst(source.text, path[source.kind.rawValue], &seen) { apples.append((path, .emailSource(source))) }
        }
        return apps + services + others + apples
    }

    /// Whether the name, compared without regard to case, did not occur before; adds a fault if it did.
    private mutating func isFirst(_ name: String, _ path: FieldPath, _ seen: inout Set<String>) -> Bool {
        if name.isEmpty || seen.insert(name.lowercased()).inserted { return true }
        errors.add(path, .duplicate(name))
        return false
    }

    /// Saves the objects, and those that are refused again after the others, until no more are saved: so their order in
    /// the file does not matter.
    private mutating func save(_ objects: [(path: FieldPath, object: Object)], _ change: borrowing Change) async throws
    {
        let named = Set((entry.appIDs ?? []).map(\.identifier) + [ClientID.unnamed.rawValue])
        var (pending, refused) = (objects, objects)
        var (faults, consequences) = (FieldErrors(), FieldErrors())
        repeat {
            (pending, refused, faults, consequences) = (refused, [], FieldErrors(), FieldErrors())
            for (path, object) in pending {
                do { try await save(object, change) } catch let found as FieldErrors {
                    faults.add(object.placed(found).under(path))
                    refused.append((path, object))
                } catch let refusal as ValidationError {
                    let found = object.placed(FieldErrors(refusal)).under(path)
                    // An App ID that is refused is a fault of its own entry.
                    if case .unknownAppID(let id) = refusal, named.contains(id.rawValue) {
                        consequences.add(found)
                    } else {
                        faults.add(found)
                    }
                    refused.append((path, object))
                }
            }
        } while !refused.isEmpty && refused.count < pending.count
        errors.add(faults)
        if errors.isEmpty { errors.add(consequences) }
    }

    private func save(_ object: Object, _ change: borrowing Change) async throws {
        switch object {
        case .appID(let app): try await save(app, change)
        case .serviceID(let service, let app): try await save(service, of: app, change)
        case .key(let key): try await save(key, change)
        case .apple(let apple, let app): try await save(apple, of: app, change)
        case .emailSource(let source): try await save(source, change)
        }
    }

    private func save(_ app: RegistryFile.AppID, _ change: borrowing Change) async throws {
        let old = registered.appIDs.first { $0.identifier.rawValue == app.identifier }
        let draft = try AppID.Draft(app.identifier, app.entry.typed(over: old?.settings), policy: policy)
        guard draft != old?.draft else { return }
        try await change.attempt { change in
            if old == nil {
                _ = try await stores.appIDs.create(draft, change)
            } else {
                try saved(try await stores.appIDs.update(to: draft, version: nil, change))
            }
        }
    }

    private func save(_ service: RegistryEntry, of app: ClientID, _ change: borrowing Change) async throws {
        let old = registered.serviceIDs.first { $0.identifier.rawValue == service.identifier }
        let draft = try ServiceID.Draft(service.identifier, of: app, service.typed(over: old?.settings), policy: policy)
        guard draft != old?.draft else { return }
        try await change.attempt { change in
            if old == nil {
                _ = try await stores.serviceIDs.create(draft, change)
            } else {
                try saved(try await stores.serviceIDs.update(to: draft, version: nil, change))
            }
        }
    }

    private func save(_ key: RegistryFile.Key, _ change: borrowing Change) async throws {
        let old = registered.keys.first { $0.id.rawValue == key.id }
        guard old?.isActive != false else {
            throw FieldErrors("id", "\(key.id) was revoked; a key does not come back, and its id is not used again.")
        }
        let registration = try Key.Registration(
            id: key.id, name: key.name ?? old?.name ?? key.id, appID: key.appID ?? old?.appID.rawValue ?? "",
            publicKeyPEM: key.publicKeyPEM ?? old?.publicKeyPEM ?? "")
        guard let old else { return try await change.attempt { _ = try await stores.keys.register(registration, $0) } }
        // Nothing but its name can change.
        var errors = FieldErrors()
        if registration.appID != old.appID { errors.add("appID", .belongsToAppID(old.appID)) }
        if registration.fingerprint != old.fingerprint {
            errors.add("publicKeyPEM", "\(old.id) has another public key; register the new one under an id of its own.")
        }
        guard errors.isEmpty else { throw errors }
        if registration.name != old.name { _ = try await stores.keys.rename(old.id, to: registration.name, change) }
    }

    private func save(_ file: RegistryFile.EmailSource, _ change: borrowing Change) async throws {
        var errors = FieldErrors()
        let source = errors.check("source", try EmailSource(file.kind, parsing: file.text))
        let old = registered.emailSources.first { $0.source == source }
        let typed = (old?.settings.typed ?? [:]).merging(file.settings) { $1 }
        let settings = errors.collect(under: .whole, try EmailSource.Settings(typed, policy: .hostNames))
        guard let source, let settings else { throw errors }
        let draft = EmailSource.Draft(source: source, settings: settings)
        guard draft != old else { return }
        try await change.attempt { change in
            if old == nil {
                try await stores.emailSources.create(draft, change)
            } else {
                try saved(try await stores.emailSources.update(to: draft, version: nil, change))
            }
        }
    }

    /// Saves the registration at Apple of a group of apps, and its key.
    private func save(_ apple: RegistryFile.Apple, of app: ClientID, _ change: borrowing Change) async throws {
        let old = registered.appleConnections.first { $0.appID == app }
        let typed = (old?.settings.typed ?? [:]).merging(apple.settings) { $1 }
        let draft = try AppleConnection.Draft(app.rawValue, typed)
        let absent = registered.appleKeys.filter { options.prunes && $0.appID == app && $0.id != draft.keyID }
        try await change.attempt { change in
            // Unused keys go first to free ranks; the key in use goes last, when the connection no longer uses it.
            for key in absent where key.id != old?.keyID {
                _ = try await stores.appleKeys.delete(key.id, reason: Self.reason, change)
            }
            try await saveKey(apple, draft, change)
            if draft != old?.draft { _ = try await stores.appleConnections.save(draft, over: .any, change) }
            for key in absent where key.id == old?.keyID {
                _ = try await stores.appleKeys.delete(key.id, reason: Self.reason, change)
            }
        }
    }

    /// Imports the key that signs for the connection, or changes the settings of one that is stored.
    private func saveKey(_ apple: RegistryFile.Apple, _ draft: AppleConnection.Draft, _ change: borrowing Change)
        async throws
    {
        let old = registered.appleKeys.first { $0.id == draft.keyID }
        if let old, old.appID != draft.appID { throw ValidationError.appleKeyOfOtherApp(old.id, of: old.appID) }
        let typed = (old?.settings.typed ?? ["name": .string(draft.keyID.rawValue)]).merging(apple.settings) { $1 }
        if let file = apple.privateKeyFile, apple.privateKeyPEM == nil, old == nil {
            throw FieldErrors("privateKeyFile", "\(file) cannot be read: no such file, or no text.")
        }
        if apple.privateKeyPEM != nil || old == nil {
            let key = try AppleKey.Import(
                draft.keyID.rawValue, of: draft.appID.rawValue, privateKey: apple.privateKeyPEM ?? "", typed)
            guard let old else {
                _ = try await stores.appleKeys.create(key, change)
                return
            }
            guard key.fingerprint == old.fingerprint else {
                throw FieldErrors(
                    "privateKeyPEM", "\(old.id) has another private key; Apple gives every key an id of its own.")
            }
        }
        guard let old else { return }
        let settings = try AppleKey.Settings(typed, policy: .hostNames)
        if settings != old.settings {
            try saved(try await stores.appleKeys.update(old.id, to: settings, version: old.version, change))
        }
    }
}

extension TeamApply.Object {
    /// The errors by the names that the file has for the fields of a store or a form.
    fileprivate func placed(_ errors: FieldErrors) -> FieldErrors {
        let names: [String: FieldPath] =
            switch self {
            case .appID: ["appID": "primary"]
            case .serviceID: ["appID": .whole]
            case .key: [:]
            case .apple: ["id": "keyID", "privateKey": "privateKeyPEM", "appID": .whole, "identifier": "servicesID"]
            case .emailSource(let source): ["source": FieldPath(source.kind.rawValue)]
            }
        return errors.map { (names[$0.path.name] ?? $0.path, $0.message) }
    }
}

extension ClientID {
    /// Stands for an App ID whose identifier is none, so that the rest of its entry is checked.
    fileprivate static let unnamed = ClientID(known: "unnamed.app")

    private init(known text: String) {
        guard let identifier = ClientID(rawValue: text) else { preconditionFailure("\(text) is an identifier") }
        self = identifier
    }
}
