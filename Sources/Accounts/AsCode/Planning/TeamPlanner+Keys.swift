import Platform
import Registry

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
