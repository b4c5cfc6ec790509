import Core
import Crypto
import Directory
import Platform
import Postgres
import Registry

/// Brings the users of a team to those of its entry of a registry file, in the caller's transaction.
struct UserApply: Sendable {
    private let stores: Provisioner
    private let entry: RegistryFile.Team
    /// Position of the list in the file.
    private let path: FieldPath
    private let options: ApplyOptions
    private let hashes: [LoginName: PasswordHash]?

    /// Name of the team before it is changed, which is no password either.
    var teamName: String?
    private(set) var errors = FieldErrors()
    /// Passwords to be hashed before the change is made.
    private(set) var passwords: [LoginName: NewPassword] = [:]
    /// Login names of the users that are changed: the audit log, which outlives them, has none.
    private(set) var logins: [String: LoginName] = [:]

    /// - Parameter hashes: hashes of `passwords`; nil in a rehearsal.
    init(
        _ entry: RegistryFile.Team, at path: FieldPath, _ options: ApplyOptions, hashes: [LoginName: PasswordHash]?,
        _ stores: Provisioner
    ) { (self.stores, self.entry, self.path, self.options, self.hashes) = (stores, entry, path, options, hashes) }

    /// Removes users whom the list does not name.
    mutating func removeAbsent(_ change: borrowing Change) async throws {
        guard let users = entry.users else { return }
        let named = Set(users.compactMap { EmailAddress(typed: $0.email).map(LoginName.init) })
        for user in try await RegisteredUser.all(change) where !named.contains(user.login) {
            logins[user.subject.rawValue] = user.login
            let deletion = AccountDeletion(stores.database, random: .system)
            _ = try await deletion.delete(user.subject, reason: TeamApply.reason, change)
        }
    }

    mutating func save(_ change: borrowing Change) async throws {
        let users = entry.users ?? []
        let emails = users.map { EmailAddress(typed: $0.email) }
        let found = try await RegisteredUser.find(emails.compactMap(\.self).map(LoginName.init), change)
        let registered = Dictionary(found.map { ($0.login, $0) }) { first, _ in first }
        var seen: Set<LoginName> = []
        for (index, user) in users.enumerated() {
            let path = path[index]
            let login = emails[index].map(LoginName.init)
            if let login, !seen.insert(login).inserted {
                errors.add(path["email"], .duplicate(user.email))
                continue
            }
            try await save(user, emails[index], over: login.flatMap { registered[$0] }, path, change)
        }
    }

    private mutating func save(
        _ user: RegistryFile.User, _ email: EmailAddress?, over old: RegisteredUser?, _ path: FieldPath,
        _ change: borrowing Change
    ) async throws {
        if email == nil { errors.add(path["email"], .emailAddress) }
        let name = name(user, old, path)
        let password = password(user, email, name, in: change.team, path)
        let secret = user.totpSecret.flatMap { text in
            errors.require(TOTPSecret(text: text), path["totpSecret"], "A secret is base 32 and has 10 to 64 octets.")
        }
        guard let email, let name else { return }
        let login = LoginName(email)
        guard let old else {
            let hash = try await hash(password, of: login, in: change.team)
            do {
                let new = NewUser(name: name, email: email, password: hash)
                let subject = try await stores.users.create(new, change)
                logins[subject.rawValue] = login
                if let secret { try await stores.totp.set(secret, of: subject, change) }
            } catch UserStore.Failure.loginTaken {
                errors.add(path["email"], Message("console.refusals.apply.login-taken"))
            }
            return
        }
        logins[old.subject.rawValue] = login
        if name != old.name {
            try await change.query(UserStore.renaming(old.subject, to: name, in: change.team))
            // Names are not logged, because the log outlives the user.
            try await change.record("user.updated", .user(old.subject), to: ["changed": ["name"]])
        }
        guard options.resetsCredentials else { return }
        if let hash = try await hash(password, of: login, in: change.team) {
            _ = try await PasswordStore.set(hash, for: old.subject, change)
        }
        if let secret { try await stores.totp.set(secret, of: old.subject, change) }
    }

    /// The hash of a new password, which was made before the transaction, unless the user was deleted since.
    private mutating func hash(_ password: NewPassword?, of login: LoginName, in team: TeamID) async throws
        -> PasswordHash?
    {
        guard let password else { return nil }
        passwords[login] = password
        guard let hashes else { return .rehearsed }
        if let hash = hashes[login] { return hash }
        return try await stores.hasher.hash(password, for: team)
    }

    private mutating func name(_ user: RegistryFile.User, _ old: RegisteredUser?, _ path: FieldPath) -> PersonName? {
        let given = PersonName(given: user.givenName ?? old?.name.given ?? "", family: "")
        let family = PersonName(given: "", family: user.familyName ?? old?.name.family ?? "")
        let rule = "A name is one line of at most \(PersonName.maximumLength) characters."
        if given == nil { errors.add(path["givenName"], rule) }
        if family == nil { errors.add(path["familyName"], rule) }
        guard let given, let family else { return nil }
        return PersonName(given: given.given, family: family.family)
    }

    private mutating func password(
        _ user: RegistryFile.User, _ email: EmailAddress?, _ name: PersonName?, in team: TeamID, _ path: FieldPath
    ) -> NewPassword? {
        guard let password = user.password else { return nil }
        do {
            let names = [entry.settings["name"]?.string, teamName].compactMap { $0 }
            let rule = PasswordRule(in: team, email: email, name: name ?? .none, around: names)
            return try NewPassword(password, by: rule)
        } catch {
            errors.add(path["password"], error.words)
            return nil
        }
    }
}

extension PasswordHash {
    /// Stands for a hash in a rehearsal, which is rolled back; no password has it.
    fileprivate static let rehearsed = PasswordHash("$argon2id$v=19$m=8,t=1,p=1$$")
}

/// A user as named by the registry file: by the login name.
struct RegisteredUser: Hashable, Sendable {
    let subject: Subject
    let login: LoginName
    let name: PersonName

    init(_ row: inout Row) throws(PostgresFailure) {
        subject = try row.next()
        login = try row.next()
        name = PersonName(stored: try row.next(), try row.next())
    }

    /// The users with one of these login names.
    static func find(_ logins: [LoginName], _ change: borrowing Change) async throws(PostgresFailure)
        -> [RegisteredUser]
    {
        guard !logins.isEmpty else { return [] }
        return try await change.query(
            "\(selection) WHERE l.team_id = \(change.team) AND l.login = ANY(\(logins.map(\.rawValue)))"
        ).all(RegisteredUser.init)
    }

    /// Every user that a file can name: those who sign in with their address.
    static func all(_ change: borrowing Change) async throws(PostgresFailure) -> [RegisteredUser] {
        try await change.query(
            "\(selection) WHERE l.team_id = \(change.team) AND u.email_key = l.login ORDER BY l.login"
        ).all(RegisteredUser.init)
    }

    private static let selection: SQL = """
        SELECT u.sub, l.login, u.given_name, u.family_name
        FROM login_names AS l
        JOIN users AS u ON u.team_id = l.team_id AND u.sub = l.sub
        """
}
