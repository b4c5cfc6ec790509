import Core
import Crypto
import Directory
import Platform
import Registry

// Keys, e-mail sources and users.
extension TeamPlanner {
    mutating func planApple() {
        var apple = ApplePlanner(file, registered, prunes: options.prunes, kept.appIDs, planned: appIDs, found)
        apple.plan()
        found = apple.found
    }

    mutating func planKeys() {
        let entries = file.keys ?? []
        found.noteDuplicates(entries.enumerated().map { (FieldPath("keys")[$0]["id"], $1.id) })
        var active: [ClientID: Int] = [:]
        for key in kept.keys where key.isActive { active[key.appID, default: 0] += 1 }
        for (index, entry) in entries.enumerated() {
            let path = FieldPath("keys")[index]
            if let old = registered.keys.first(where: { $0.id.rawValue == entry.id }) {
                planKnownKey(entry, old, path)
            } else {
                planNewKey(entry, path, &active)
            }
        }
    }

    /// Plans a new name for a stored key; nothing else of it can change.
    private mutating func planKnownKey(_ entry: RegistryFile.Key, _ old: Key, _ path: FieldPath) {
        guard old.isActive else {
            return found.errors.add(
                path["id"], "\(old.id) was revoked; a key does not come back, and its id is not used again.")
        }
        let registration = found.errors.collect(
            under: path,
            try Key.Registration(
                id: entry.id, name: entry.name ?? old.name, appID: entry.appID ?? old.appID.rawValue,
                publicKeyPEM: entry.publicKeyPEM ?? old.publicKeyPEM))
        guard let registration else { return }
        if registration.appID != old.appID { found.errors.add(path["appID"], .belongsToAppID(old.appID)) }
        if registration.fingerprint != old.fingerprint {
            found.errors.add(
                path["publicKeyPEM"], "\(old.id) has another public key; register the new one under an id of its own.")
        }
        if registration.name != old.name { found.add(.renameKey(old, to: registration.name)) }
    }

    private mutating func planNewKey(_ entry: RegistryFile.Key, _ path: FieldPath, _ active: inout [ClientID: Int]) {
        let registration = found.errors.collect(
            under: path,
            try Key.Registration(
                id: entry.id, name: entry.name ?? entry.id, appID: entry.appID ?? "",
                publicKeyPEM: entry.publicKeyPEM ?? ""))
        guard let registration else { return }
        guard let app = appIDs[registration.appID] else {
            // An invalid App ID in the file has been reported with its own entry.
            let isInFile = file.appIDs?.contains { $0.identifier == registration.appID.rawValue } == true
            if !isInFile { found.errors.add(path["appID"], .unknownAppID(registration.appID)) }
            return
        }
        if let primary = app.settings.primary {
            return found.errors.add(path["appID"], .groupedAppID(app.identifier, under: primary))
        }
        active[app.identifier, default: 0] += 1
        if active[app.identifier, default: 0] > Quota.activeKeys.count {
            found.errors.add(path["appID"], .limitReached(.activeKeys, of: app.identifier.rawValue))
        } else {
            found.add(.registerKey(registration))
        }
    }

    mutating func planEmailSources() {
        let entries = file.emailSources ?? []
        found.noteDuplicates(entries.enumerated().map { (FieldPath("emailSources")[$0][$1.kind.rawValue], $1.text) })
        var count = kept.emailSources.count
        for (index, entry) in entries.enumerated() {
            let path = FieldPath("emailSources")[index]
            let source = found.errors.check(path[entry.kind.rawValue], try EmailSource(entry.kind, parsing: entry.text))
            let old = kept.emailSources.first { $0.source == source }
            let typed = (old?.settings.typed ?? [:]).merging(entry.settings) { $1 }
            let settings = found.errors.collect(under: path, try EmailSource.Settings(typed, policy: .hostNames))
            guard let source, let settings else { continue }
            let draft = EmailSource.Draft(source: source, settings: settings)
            if let old {
                if draft != old { found.add(.updateEmailSource(from: old, to: draft)) }
                continue
            }
            count += 1
            if count > Quota.emailSources.count {
                found.errors.add(path, .limitReached(.emailSources, of: file.id))
            } else {
                found.add(.createEmailSource(draft))
            }
        }
    }

    mutating func planUsers() {
        let entries = file.users ?? []
        found.noteDuplicates(
            entries.enumerated().map { index, entry in
                (FieldPath("users")[index]["email"], EmailAddress(typed: entry.email)?.rawValue ?? entry.email)
            })
        for (index, entry) in entries.enumerated() { planUser(entry, FieldPath("users")[index]) }
    }

    private mutating func planUser(_ entry: RegistryFile.User, _ path: FieldPath) {
        let email = EmailAddress(typed: entry.email)
        if email == nil { found.errors.add(path["email"], .emailAddress) }
        let old = email.flatMap { email in registered.users.first { $0.login == LoginName(email) } }
        let name = planName(entry, old, path)
        let password = planPassword(entry, email, name, path)
        let secret = planTOTPSecret(entry, path)
        guard let email, let name else { return }
        guard let old else {
            let user = PlannedUser(email: email, name: name, password: password, totpSecret: secret)
            return found.add(.createUser(user))
        }
        if name.given != old.givenName || name.family != old.familyName { found.add(.renameUser(old, to: name)) }
        guard options.resetsCredentials else { return }
        if let password { found.add(.resetPassword(old, to: password)) }
        if let secret { found.add(.resetTOTP(old, to: secret)) }
    }

    private mutating func planName(_ entry: RegistryFile.User, _ old: RegisteredUser?, _ path: FieldPath) -> PersonName?
    {
        let given = PersonName(given: entry.givenName ?? old?.givenName ?? "", family: "")
        let family = PersonName(given: "", family: entry.familyName ?? old?.familyName ?? "")
        let rule = "A name is one line of at most \(PersonName.maximumLength) characters."
        if given == nil { found.errors.add(path["givenName"], rule) }
        if family == nil { found.errors.add(path["familyName"], rule) }
        guard let given, let family else { return nil }
        return PersonName(given: given.given, family: family.family)
    }

    private mutating func planTOTPSecret(_ entry: RegistryFile.User, _ path: FieldPath) -> TOTPSecret? {
        guard let text = entry.totpSecret else { return nil }
        let secret = TOTPSecret(text: text)
        if secret == nil { found.errors.add(path["totpSecret"], "A secret is base 32 and has 10 to 64 octets.") }
        return secret
    }

    private mutating func planPassword(
        _ entry: RegistryFile.User, _ email: EmailAddress?, _ name: PersonName?, _ path: FieldPath
    ) -> NewPassword? {
        guard let password = entry.password else { return nil }
        do {
            let names = [file.settings["name"]?.string, registered.settings?.name.rawValue].compactMap { $0 }
            let rule = PasswordRule(in: TeamID(rawValue: file.id), email: email, name: name ?? .none, around: names)
            return try NewPassword(password, by: rule)
        } catch {
            found.errors.add(path["password"], error.words)
            return nil
        }
    }
}
