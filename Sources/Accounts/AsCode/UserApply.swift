import Core
import Crypto
import Directory
import Platform
import Postgres
import Registry

/// Brings the users of a team to those of its entry of a registry file, in the caller's transaction.
struct UserApply: Sendable {
    /// Users that are read, judged and written at a time.
    static let batch = 1_000

    /// A user as the file has it.
    private struct Judged {
        let path: FieldPath
        let email: EmailAddress
        let name: PersonName
        let password: NewPassword?
        let totpSecret: TOTPSecret?
        let isEmailVerified: Bool

        var login: LoginName { LoginName(email) }
    }

    private let stores: Provisioner
    private let entry: RegistryFile.Team
    /// Position of the list in the file.
    private let path: FieldPath
    private let options: ApplyOptions
    private let hashes: [LoginName: PasswordHash]?
    /// Users who have the password that the file has.
    private let unchanged: Set<LoginName>

    /// Name of the team before it is changed, which is no password either.
    var teamName: String?
    private(set) var errors = FieldErrors()
    /// Passwords to be hashed before the change is made.
    private(set) var passwords: [LoginName: NewPassword] = [:]
    /// One line per recorded event.
    private(set) var lines: [String] = []
    /// Login names of the users of a batch: the audit log, which outlives them, has none.
    private var logins: [String: LoginName] = [:]

    /// - Parameters:
    ///   - hashes: hashes of `passwords`; nil in a rehearsal.
    ///   - unchanged: users who have the password that the file has, which a rehearsal needs.
    init(
        _ entry: RegistryFile.Team, at path: FieldPath, _ options: ApplyOptions, hashes: [LoginName: PasswordHash]?,
        unchanged: Set<LoginName>, _ stores: Provisioner
    ) {
        (self.stores, self.entry, self.path, self.options) = (stores, entry, path, options)
        (self.hashes, self.unchanged) = (hashes, unchanged)
    }

    /// Saves the users in batches, and removes those whom the list does not name where that is wanted.
    mutating func save(_ change: borrowing Change) async throws {
        guard var list = entry.users else { return }
        var named: Set<LoginName> = []
        while true {
            let start = list.position
            let users = try list.next(Self.batch)
            if users.isEmpty { break }
            try await save(users, from: start, &named, change)
            takeLines(change)
            // Statements and triggers keep the plans of a small table, such as a new installation's, and would read all of
            // it for each user.
            try await change.query("DISCARD PLANS")
        }
        if options.prunes { try await removeAbsent(named, change) }
    }

    /// The events of a batch as lines, since all events of many users would be too much to keep.
    private mutating func takeLines(_ change: borrowing Change) {
        lines += change.takeEvents().map { $0.line(naming: logins) }
        logins = [:]
    }

    private mutating func removeAbsent(_ named: Set<LoginName>, _ change: borrowing Change) async throws {
        var last = ""
        while true {
            let users = try await RegisteredUser.page(after: last, limit: Self.batch, change)
            guard let end = users.last else { return }
            last = end.login.rawValue
            for user in users where !named.contains(user.login) {
                logins[user.subject.rawValue] = user.login
                let deletion = AccountDeletion(stores.database, random: .system)
                _ = try await deletion.delete(user.subject, reason: TeamApply.reason, change)
            }
            takeLines(change)
        }
    }

    /// Judges the users, and writes what differs by one statement for new ones and one for those that are there.
    private mutating func save(
        _ users: [RegistryFile.User], from start: Int, _ named: inout Set<LoginName>, _ change: borrowing Change
    ) async throws {
        let emails = users.map { EmailAddress(typed: $0.email) }
        let found = try await RegisteredUser.find(emails.compactMap(\.self).map(LoginName.init), change)
        let registered = Dictionary(found.map { ($0.login, $0) }) { first, _ in first }
        var new: [Judged] = []
        var changed: [(old: RegisteredUser, new: Judged)] = []
        for (index, user) in users.enumerated() {
            let path = path[start + index]
            let old = emails[index].flatMap { registered[LoginName($0)] }
            if let email = emails[index], !named.insert(LoginName(email)).inserted {
                note(path["email"], ValidationError.duplicate(user.email).message)
                continue
            }
            guard let judged = judge(user, emails[index], over: old, in: change.team, path) else { continue }
            if let old { changed.append((old, judged)) } else { new.append(judged) }
        }
        try await create(new, change)
        try await update(changed, change)
    }

    private mutating func create(_ new: [Judged], _ change: borrowing Change) async throws {
        guard !new.isEmpty else { return }
        var users: [NewUser] = []
        for user in new {
            let hash = try await hash(user, in: change.team)
            users.append(
                NewUser(name: user.name, email: user.email, isEmailVerified: user.isEmailVerified, password: hash))
        }
        for (user, subject) in zip(new, try await stores.users.create(users, change)) {
            guard let subject else {
                note(user.path["email"], Message("console.refusals.apply.login-taken"))
                continue
            }
            logins[subject.rawValue] = user.login
            if let secret = user.totpSecret { try await stores.totp.set(secret, of: subject, change) }
        }
    }

    private mutating func update(_ users: [(old: RegisteredUser, new: Judged)], _ change: borrowing Change) async throws
    {
        for (old, _) in users { logins[old.subject.rawValue] = old.login }
        let kinds = Dictionary(grouping: users) { old, new in
            (old.name == new.name ? [] : ["name"])
                + (old.isEmailVerified == new.isEmailVerified ? [] : ["emailVerified"])
        }
        for (kind, users) in kinds.sorted(by: { $0.key.count < $1.key.count }) where !kind.isEmpty {
            try await UserStore.update(users.map { ($0.old.subject, $0.new.name, $0.new.isEmailVerified) }, change)
            // Names are not logged, because the log outlives the user.
            try await change.record(
                "user.updated", onEach: users.map { .user($0.old.subject) }, to: ["changed": .strings(kind)])
        }
        guard options.resetsCredentials else { return }
        for (old, new) in users {
            if let hash = changedHash(new) { _ = try await PasswordStore.set(hash, for: old.subject, change) }
            if let secret = new.totpSecret { try await stores.totp.set(secret, of: old.subject, change) }
        }
    }

    /// The hash of a new user's password, which was made before the transaction, unless the user was deleted since.
    private mutating func hash(_ user: Judged, in team: TeamID) async throws -> PasswordHash? {
        guard let password = user.password else { return nil }
        passwords[user.login] = password
        guard let hashes else { return .rehearsed }
        if let hash = hashes[user.login] { return hash }
        return try await stores.hasher.hash(password, for: team, from: .local)
    }

    /// The hash of another password than the user has.
    private mutating func changedHash(_ user: Judged) -> PasswordHash? {
        guard let password = user.password, !unchanged.contains(user.login) else { return nil }
        if let hashes { return hashes[user.login] }
        passwords[user.login] = password
        return .rehearsed
    }

    /// The user as the file has it, over what is stored; nil after its faults are noted.
    private mutating func judge(
        _ user: RegistryFile.User, _ email: EmailAddress?, over old: RegisteredUser?, in team: TeamID, _ path: FieldPath
    ) -> Judged? {
        if email == nil { note(path["email"], ValidationError.emailAddress.message) }
        let name = name(user, old, path)
        let password = password(user, email, name, in: team, path)
        let secret = user.totpSecret.flatMap(TOTPSecret.init(text:))
        if user.totpSecret != nil, secret == nil {
            note(path["totpSecret"], "A secret is base 32 and has 10 to 64 octets.")
        }
        let isVerified = user.emailVerified ?? old?.isEmailVerified ?? false
        if let old, !old.hasOwnAddress, isVerified != old.isEmailVerified {
            note(path["emailVerified"], "This user's email address is another one than the login name.")
        }
        guard let email, let name else { return nil }
        return Judged(
            path: path, email: email, name: name, password: password, totpSecret: secret, isEmailVerified: isVerified)
    }

    private mutating func note(_ path: FieldPath, _ message: any LocalizedTextConvertible) {
        if errors.all.count < RegistryReader.mostErrors { errors.add(path, message) }
    }

    private mutating func name(_ user: RegistryFile.User, _ old: RegisteredUser?, _ path: FieldPath) -> PersonName? {
        let given = PersonName(given: user.givenName ?? old?.name.given ?? "", family: "")
        let family = PersonName(given: "", family: user.familyName ?? old?.name.family ?? "")
        let rule = "A name is one line of at most \(PersonName.maximumLength) characters."
        if given == nil { note(path["givenName"], rule) }
        if family == nil { note(path["familyName"], rule) }
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
            note(path["password"], error.words)
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
    let isEmailVerified: Bool
    /// Whether the user's address is the login name.
    let hasOwnAddress: Bool

    init(_ row: inout Row) throws(PostgresFailure) {
        subject = try row.next()
        login = try row.next()
        name = PersonName(stored: try row.next(), try row.next())
        isEmailVerified = try row.next()
        hasOwnAddress = try row.next()
    }

    /// The users with one of these login names.
    static func find(_ logins: [LoginName], _ change: borrowing Change) async throws(PostgresFailure)
        -> [RegisteredUser]
    {
        try await change.query(
            "\(selection) WHERE l.team_id = \(change.team) AND l.login = ANY(\(logins.map(\.rawValue)))"
        ).all(RegisteredUser.init)
    }

    /// The next users that a file can name, those who sign in with their address, in the order of login names.
    static func page(after login: String, limit: Int, _ change: borrowing Change) async throws(PostgresFailure)
        -> [RegisteredUser]
    {
        try await change.query(
            """
            \(selection) WHERE l.team_id = \(change.team) AND l.login > \(login) AND u.email_key = l.login
            ORDER BY l.login LIMIT \(limit)
            """
        ).all(RegisteredUser.init)
    }

    private static let selection: SQL = """
        SELECT u.sub, l.login, u.given_name, u.family_name, u.is_email_verified, coalesce(u.email_key = l.login, false)
        FROM login_names AS l
        JOIN users AS u ON u.team_id = l.team_id AND u.sub = l.sub
        """
}
