import Core
import Crypto
import Directory
import Platform
import Registry

// Connections to Apple and Apple keys.
extension TeamPlanner {
    mutating func planApple() {
        for (index, entry) in (file.appIDs ?? []).enumerated() {
            guard let app = ClientID(rawValue: entry.identifier), appIDs[app] != nil else { continue }
            if entry.isApart {
                disconnect(app)
            } else if let apple = entry.apple {
                plan(apple, of: app, "appIDs[\(index)].apple")
            }
        }
    }

    /// Removes the connection and the keys where the file has `null`; like all removals, only with `--prune`.
    private mutating func disconnect(_ app: ClientID) {
        guard options.prunes else { return }
        if let connection = connection(of: app) { add(.disconnectApple(connection)) }
        for key in appleKeys(of: app) { add(.deleteAppleKey(key)) }
    }

    private mutating func plan(_ entry: RegistryFile.Apple, of app: ClientID, _ path: String) {
        let old = connection(of: app)
        let input = AppleConnection.Input(
            appID: app.rawValue, servicesID: entry.servicesID ?? old?.servicesID.rawValue ?? "",
            keyID: entry.keyID ?? old?.keyID.rawValue ?? "")
        let draft = check(path) { () throws(InvalidFields) in try AppleConnection.Draft(parsing: input) }
        if let primary = appIDs[app]?.primary { return note(path, .groupedAppID(app, under: primary)) }
        guard let draft, noteTaken(draft, path) else { return }
        // Unused keys go first to free slots; the key in use goes last, when the connection no longer uses it.
        let unnamed = options.prunes ? appleKeys(of: app).filter { $0.id != draft.keyID } : []
        for key in unnamed where key.id != old?.keyID { add(.deleteAppleKey(key)) }
        let kept = appleKeys(of: app).count - unnamed.count { $0.id != old?.keyID }
        guard planKey(entry, draft, kept, path) else { return }
        if let old {
            if draft != old.draft { add(.updateAppleConnection(from: old.draft, to: draft)) }
        } else {
            add(.connectApple(draft))
        }
        for key in unnamed where key.id == old?.keyID { add(.deleteAppleKey(key)) }
    }

    /// Whether no other group uses the Services ID and no App ID has its name; otherwise adds an error.
    private mutating func noteTaken(_ draft: AppleConnection.Draft, _ path: String) -> Bool {
        let id = draft.servicesID
        let entries = (file.appIDs ?? []).filter { $0.apple != nil || $0.isApart }
        let entry = entries.first { $0.identifier != draft.appID.rawValue && $0.apple?.servicesID == id.rawValue }
        let kept = registered.appleConnections.first { connection in
            connection.appID != draft.appID && connection.servicesID == id
                && !entries.contains { $0.identifier == connection.appID.rawValue }
        }
        let holder = entry.flatMap { ClientID(rawValue: $0.identifier) } ?? kept?.appID
        let bundle = keptAppIDs.first { $0.identifier.rawValue.lowercased() == id.rawValue.lowercased() }
        if let holder {
            note("\(path).servicesID", .servicesIDTaken(id, by: holder))
        } else if let bundle {
            note("\(path).servicesID", .bundleIDAsServiceID(bundle.identifier))
        }
        return holder == nil && bundle == nil
    }

    /// Plans the key that signs for the connection, which is imported if it is not stored yet.
    ///
    /// - Returns: whether the key is or will be stored.
    private mutating func planKey(
        _ entry: RegistryFile.Apple, _ draft: AppleConnection.Draft, _ kept: Int, _ path: String
    ) -> Bool {
        if let key = registered.appleKeys.first(where: { $0.id == draft.keyID }) {
            return planKnownKey(entry, key, draft, path)
        }
        if let file = entry.privateKeyFile, entry.privateKeyPEM == nil {
            note("\(path).privateKeyFile", "\(file) cannot be read: no such file, or no text.")
            return false
        }
        let input = AppleKey.Input(
            id: draft.keyID.rawValue, appleTeamID: entry.teamID ?? "", name: draft.keyID.rawValue,
            appID: draft.appID.rawValue, privateKey: entry.privateKeyPEM ?? "")
        guard let key = imported(input, path) else { return false }
        guard kept < Quota.appleKeys.count else {
            note("\(path).keyID", .limitReached(.appleKeys, of: draft.appID.rawValue))
            return false
        }
        add(.importAppleKey(key))
        return true
    }

    /// Parses the key and maps field names of a key's form to members of the file in errors.
    private mutating func imported(_ input: AppleKey.Input, _ path: String) -> AppleKey.Import? {
        do throws(InvalidFields) { return try AppleKey.Import(parsing: input) } catch {
            let names = ["id": "keyID", "appleTeamID": "teamID", "privateKey": "privateKeyPEM"]
            for problem in error.all { note("\(path).\(names[problem.field] ?? problem.field)", problem.message) }
            return nil
        }
    }

    private mutating func planKnownKey(
        _ entry: RegistryFile.Apple, _ key: AppleKey, _ draft: AppleConnection.Draft, _ path: String
    ) -> Bool {
        guard key.appID == draft.appID else {
            note("\(path).keyID", .appleKeyOfOtherApp(key.id, of: key.appID))
            return false
        }
        let input = AppleKey.Input(
            id: key.id.rawValue, appleTeamID: entry.teamID ?? key.appleTeamID.rawValue, name: key.name,
            appID: key.appID.rawValue, privateKey: entry.privateKeyPEM ?? "")
        if entry.privateKeyPEM != nil {
            guard let given = imported(input, path) else { return false }
            guard given.fingerprint == key.fingerprint else {
                note(
                    "\(path).privateKeyPEM",
                    "\(key.id) has another private key; Apple gives every key an id of its own.")
                return false
            }
        }
        let moved = check(path) { () throws(InvalidFields) in try AppleKey.Draft(parsing: input) }
        guard let moved else { return false }
        if moved != key.draft { add(.moveAppleKey(key, to: moved)) }
        return true
    }

    private func connection(of app: ClientID) -> AppleConnection? {
        registered.appleConnections.first { $0.appID == app }
    }

    private func appleKeys(of app: ClientID) -> [AppleKey] { registered.appleKeys.filter { $0.appID == app } }
}

// Keys and e-mail sources.
extension TeamPlanner {
    mutating func planKeys() {
        let entries = file.keys ?? []
        noteDuplicates(entries.enumerated().map { ("keys[\($0)].id", $1.id) })
        var active: [ClientID: Int] = [:]
        for key in keptKeys where key.isActive { active[key.appID, default: 0] += 1 }
        for (index, entry) in entries.enumerated() {
            let path = "keys[\(index)]"
            if let old = registered.keys.first(where: { $0.id.rawValue == entry.id }) {
                planKnownKey(entry, old, path)
            } else {
                planNewKey(entry, path, &active)
            }
        }
    }

    /// Plans a new name for a stored key; nothing else of it can change.
    private mutating func planKnownKey(_ entry: RegistryFile.Key, _ old: Key, _ path: String) {
        guard old.isActive else {
            return note("\(path).id", "\(old.id) was revoked; a key does not come back, and its id is not used again.")
        }
        let registration = check(path) { () throws(InvalidFields) in
            try Key.Registration(
                id: entry.id, name: entry.name ?? old.name, appID: entry.appID ?? old.appID.rawValue,
                publicKeyPEM: entry.publicKeyPEM ?? old.publicKeyPEM)
        }
        guard let registration else { return }
        if registration.appID != old.appID { note("\(path).appID", .belongsToAppID(old.appID)) }
        if registration.fingerprint != old.fingerprint {
            note(
                "\(path).publicKeyPEM", "\(old.id) has another public key; register the new one under an id of its own."
            )
        }
        if registration.name != old.name { add(.renameKey(old, to: registration.name)) }
    }

    private mutating func planNewKey(_ entry: RegistryFile.Key, _ path: String, _ active: inout [ClientID: Int]) {
        let registration = check(path) { () throws(InvalidFields) in
            try Key.Registration(
                id: entry.id, name: entry.name ?? entry.id, appID: entry.appID ?? "",
                publicKeyPEM: entry.publicKeyPEM ?? "")
        }
        guard let registration else { return }
        guard let app = appIDs[registration.appID] else {
            // An invalid App ID in the file has been reported with its own entry.
            let isInFile = file.appIDs?.contains { $0.identifier == registration.appID.rawValue } == true
            if !isInFile { note("\(path).appID", .unknownAppID(registration.appID)) }
            return
        }
        if let primary = app.primary { return note("\(path).appID", .groupedAppID(app.identifier, under: primary)) }
        active[app.identifier, default: 0] += 1
        if active[app.identifier, default: 0] > Quota.activeKeys.count {
            note("\(path).appID", .limitReached(.activeKeys, of: app.identifier.rawValue))
        } else {
            add(.registerKey(registration))
        }
    }

    mutating func planEmailSources() {
        let entries = file.emailSources ?? []
        noteDuplicates(
            entries.enumerated().map { index, entry in
                (
                    entry.domain == nil ? "emailSources[\(index)].address" : "emailSources[\(index)].domain",
                    entry.domain ?? entry.address ?? ""
                )
            })
        var count = keptEmailSources.count
        for (index, entry) in entries.enumerated() {
            let path = "emailSources[\(index)]"
            guard let source = parse(entry, path) else { continue }
            let old = keptEmailSources.first { $0.source == source }
            guard let draft = draft(entry, of: source, from: old, path) else { continue }
            if let old {
                if draft != old { add(.updateEmailSource(from: old, to: draft)) }
                continue
            }
            count += 1
            if count > Quota.emailSources.count {
                note(path, .limitReached(.emailSources, of: file.id))
            } else {
                add(.createEmailSource(draft))
            }
        }
    }

    /// Selectors that the file omits stay unchanged.
    private mutating func draft(
        _ entry: RegistryFile.EmailSource, of source: EmailSource, from old: EmailSource.Draft?, _ path: String
    ) -> EmailSource.Draft? {
        guard let selectors = entry.selectors else { return old ?? EmailSource.Draft(source: source) }
        return check(path) { () throws(InvalidFields) in
            try EmailSource.Draft(parsing: EmailSource.Input(source: source.text, selectors: selectors))
        }
    }

    private mutating func parse(_ entry: RegistryFile.EmailSource, _ path: String) -> EmailSource? {
        do throws(ValidationError) {
            if let domain = entry.domain { return try EmailSource(domain: domain) }
            return try EmailSource(address: entry.address ?? "")
        } catch {
            note("\(path).\(entry.domain == nil ? "address" : "domain")", error)
            return nil
        }
    }
}

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

// Users of the directory.
extension TeamPlanner {
    mutating func planUsers() {
        let entries = file.users ?? []
        noteDuplicates(
            entries.enumerated().map { index, entry in
                ("users[\(index)].email", EmailAddress(typed: entry.email)?.rawValue ?? entry.email)
            })
        for (index, entry) in entries.enumerated() { planUser(entry, "users[\(index)]") }
    }

    private mutating func planUser(_ entry: RegistryFile.User, _ path: String) {
        let email = EmailAddress(typed: entry.email)
        if email == nil { note("\(path).email", .emailAddress) }
        let old = email.flatMap { email in registered.users.first { $0.login == LoginName(email) } }
        let name = planName(entry, old, path)
        let password = planPassword(entry, email, name, path)
        let secret = planTOTPSecret(entry, path)
        guard let email, let name else { return }
        guard let old else {
            let user = PlannedUser(email: email, name: name, password: password, totpSecret: secret)
            return add(.createUser(user))
        }
        if name.given != old.givenName || name.family != old.familyName { add(.renameUser(old, to: name)) }
        guard options.resetsCredentials else { return }
        if let password { add(.resetPassword(old, to: password)) }
        if let secret { add(.resetTOTP(old, to: secret)) }
    }

    private mutating func planName(_ entry: RegistryFile.User, _ old: RegisteredUser?, _ path: String) -> PersonName? {
        let given = PersonName(given: entry.givenName ?? old?.givenName ?? "", family: "")
        let family = PersonName(given: "", family: entry.familyName ?? old?.familyName ?? "")
        let rule = "A name is one line of at most \(PersonName.maximumLength) characters."
        if given == nil { note("\(path).givenName", rule) }
        if family == nil { note("\(path).familyName", rule) }
        guard let given, let family else { return nil }
        return PersonName(given: given.given, family: family.family)
    }

    private mutating func planTOTPSecret(_ entry: RegistryFile.User, _ path: String) -> TOTPSecret? {
        guard let text = entry.totpSecret else { return nil }
        let secret = TOTPSecret(text: text)
        if secret == nil { note("\(path).totpSecret", "A secret is base 32 and has 10 to 64 octets.") }
        return secret
    }

    private mutating func planPassword(
        _ entry: RegistryFile.User, _ email: EmailAddress?, _ name: PersonName?, _ path: String
    ) -> NewPassword? {
        guard let password = entry.password else { return nil }
        do {
            let names = [file.name, registered.settings?.name.rawValue].compactMap { $0 }
            let rule = PasswordRule(in: TeamID(rawValue: file.id), email: email, name: name ?? .none, around: names)
            return try NewPassword(password, by: rule)
        } catch {
            note("\(path).password", error.words)
            return nil
        }
    }
}
