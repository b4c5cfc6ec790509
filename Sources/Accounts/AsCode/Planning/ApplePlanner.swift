import Core
import Platform
import Registry

/// Compares the connections to Apple and the Apple keys of a team's groups of apps with the file.
struct ApplePlanner {
    private let file: RegistryFile.Team
    private let registered: RegisteredTeam
    private let prunes: Bool
    private let storedAppIDs: [AppID]
    private let appIDs: [ClientID: AppID.Draft]
    private(set) var found: Findings

    /// - Parameters:
    ///   - storedAppIDs: the App IDs that are left after the removals.
    ///   - appIDs: the App IDs after the changes.
    ///   - found: what was found before.
    init(
        _ file: RegistryFile.Team, _ registered: RegisteredTeam, prunes: Bool, _ storedAppIDs: [AppID],
        planned appIDs: [ClientID: AppID.Draft], _ found: Findings
    ) {
        (self.file, self.registered, self.prunes) = (file, registered, prunes)
        (self.storedAppIDs, self.appIDs, self.found) = (storedAppIDs, appIDs, found)
    }

    mutating func plan() {
        for (index, entry) in (file.appIDs ?? []).enumerated() {
            guard let app = ClientID(rawValue: entry.identifier), appIDs[app] != nil else { continue }
            if entry.isApart {
                disconnect(app)
            } else if let apple = entry.apple {
                plan(apple, of: app, FieldPath("appIDs")[index]["apple"])
            }
        }
    }

    /// Removes the connection and the keys where the file has `null`; like all removals, only with `--prune`.
    private mutating func disconnect(_ app: ClientID) {
        guard prunes else { return }
        if let connection = connection(of: app) { found.add(.disconnectApple(connection)) }
        for key in appleKeys(of: app) { found.add(.deleteAppleKey(key)) }
    }

    private mutating func plan(_ entry: RegistryFile.Apple, of app: ClientID, _ path: FieldPath) {
        let old = connection(of: app)
        let typed = (old?.settings.typed ?? [:]).merging(entry.settings) { $1 }
        let draft = found.errors.collect(under: path, try AppleConnection.Draft(app.rawValue, typed))
        if let primary = appIDs[app]?.settings.primary {
            return found.errors.add(path, .groupedAppID(app, under: primary))
        }
        guard let draft, noteTaken(draft, path) else { return }
        // Unused keys go first to free ranks; the key in use goes last, when the connection no longer uses it.
        let unnamed = prunes ? appleKeys(of: app).filter { $0.id != draft.keyID } : []
        for key in unnamed where key.id != old?.keyID { found.add(.deleteAppleKey(key)) }
        let kept = appleKeys(of: app).count - unnamed.count { $0.id != old?.keyID }
        guard planKey(entry, draft, kept, path) else { return }
        if let old {
            if draft != old.draft { found.add(.updateAppleConnection(from: old.draft, to: draft)) }
        } else {
            found.add(.connectApple(draft))
        }
        for key in unnamed where key.id == old?.keyID { found.add(.deleteAppleKey(key)) }
    }

    /// Whether no other group uses the Services ID and no App ID has its name; otherwise adds an error.
    private mutating func noteTaken(_ draft: AppleConnection.Draft, _ path: FieldPath) -> Bool {
        let id = draft.servicesID
        let entries = (file.appIDs ?? []).filter { $0.apple != nil || $0.isApart }
        let entry = entries.first {
            $0.identifier != draft.appID.rawValue && $0.apple?.settings["servicesID"]?.string == id.rawValue
        }
        let kept = registered.appleConnections.first { connection in
            connection.appID != draft.appID && connection.servicesID == id
                && !entries.contains { $0.identifier == connection.appID.rawValue }
        }
        let holder = entry.flatMap { ClientID(rawValue: $0.identifier) } ?? kept?.appID
        let bundle = storedAppIDs.first { $0.identifier.rawValue.lowercased() == id.rawValue.lowercased() }
        if let holder {
            found.errors.add(path["servicesID"], .servicesIDTaken(id, by: holder))
        } else if let bundle {
            found.errors.add(path["servicesID"], .bundleIDAsServiceID(bundle.identifier))
        }
        return holder == nil && bundle == nil
    }

    /// Plans the key that signs for the connection, which is imported if it is not stored yet.
    ///
    /// - Returns: whether the key is or will be stored.
    private mutating func planKey(
        _ entry: RegistryFile.Apple, _ draft: AppleConnection.Draft, _ kept: Int, _ path: FieldPath
    ) -> Bool {
        if let key = registered.appleKeys.first(where: { $0.id == draft.keyID }) {
            return planKnownKey(entry, key, draft, path)
        }
        if let file = entry.privateKeyFile, entry.privateKeyPEM == nil {
            found.errors.add(path["privateKeyFile"], "\(file) cannot be read: no such file, or no text.")
            return false
        }
        let named = entry.settings.merging(["name": .string(draft.keyID.rawValue)]) { $1 }
        guard let key = imported(draft.keyID, entry, named, of: draft.appID, path) else { return false }
        guard kept < Quota.appleKeys.count else {
            found.errors.add(path["keyID"], .limitReached(.appleKeys, of: draft.appID.rawValue))
            return false
        }
        found.add(.importAppleKey(key))
        return true
    }

    /// Parses the key and maps field names of a key's form to members of the file in errors.
    private mutating func imported(
        _ id: KeyID, _ entry: RegistryFile.Apple, _ typed: Typed, of app: ClientID, _ path: FieldPath
    ) -> AppleKey.Import? {
        do throws(FieldErrors) {
            return try AppleKey.Import(id.rawValue, of: app.rawValue, privateKey: entry.privateKeyPEM ?? "", typed)
        } catch {
            let names = ["id": "keyID", "privateKey": "privateKeyPEM"]
            found.errors.add(error.map { (path[names[$0.path.name] ?? $0.path.name], $0.message) })
            return nil
        }
    }

    private mutating func planKnownKey(
        _ entry: RegistryFile.Apple, _ key: AppleKey, _ draft: AppleConnection.Draft, _ path: FieldPath
    ) -> Bool {
        guard key.appID == draft.appID else {
            found.errors.add(path["keyID"], .appleKeyOfOtherApp(key.id, of: key.appID))
            return false
        }
        let typed = key.settings.typed.merging(entry.settings) { $1 }
        if entry.privateKeyPEM != nil {
            guard let given = imported(key.id, entry, typed, of: key.appID, path) else { return false }
            guard given.fingerprint == key.fingerprint else {
                found.errors.add(
                    path["privateKeyPEM"], "\(key.id) has another private key; Apple gives every key an id of its own.")
                return false
            }
        }
        let moved = found.errors.collect(under: path, try AppleKey.Settings(typed, policy: .hostNames))
        guard let moved else { return false }
        if moved != key.settings { found.add(.moveAppleKey(key, to: moved)) }
        return true
    }

    private func connection(of app: ClientID) -> AppleConnection? {
        registered.appleConnections.first { $0.appID == app }
    }

    private func appleKeys(of app: ClientID) -> [AppleKey] { registered.appleKeys.filter { $0.appID == app } }
}
