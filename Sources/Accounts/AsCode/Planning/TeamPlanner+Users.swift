import Core
import Crypto
import Directory
import Platform
import Registry

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
