import Core
public import Crypto
public import Directory
public import Platform
import Postgres
public import Registry

/// Applies registry files to teams, and exports teams as registry files.
public struct Provisioner: Sendable {
    /// Creates what a new team needs in other modules, such as its first signing key, in the change that creates it.
    public typealias TeamPreparation = @Sendable (borrowing Change) async throws -> Void

    /// Enqueues the email to whom a file invites to a team, in the transaction that stores the invitation.
    public typealias InvitationMail = @Sendable (InvitationStore.Issued, String, borrowing Change) async throws -> Void

    let database: TeamDatabase
    let teams: TeamStore
    let appIDs: AppIDStore
    let serviceIDs: ServiceIDStore
    let keys: KeyStore
    let appleKeys: AppleKeyStore
    let appleConnections: AppleConnectionStore
    let emailSources: EmailSourceStore
    let invitations: InvitationStore
    let users: UserStore
    let totp: TOTPStore
    let hasher: PasswordHasher
    let own: OwnAddress?
    let prepareTeam: TeamPreparation
    let sendInvitation: InvitationMail

    /// - Parameter own: where Pippin itself answers, which no team may register.
    public init(
        _ database: TeamDatabase, keyRing: KeyRing, hasher: PasswordHasher, apartFrom own: OwnAddress?,
        sendInvitation: @escaping InvitationMail, prepareTeam: @escaping TeamPreparation
    ) {
        self.database = database
        teams = TeamStore(database)
        appIDs = AppIDStore(database)
        serviceIDs = ServiceIDStore(database)
        keys = KeyStore(database, keyRing: keyRing)
        appleKeys = AppleKeyStore(database, keyRing: keyRing)
        appleConnections = AppleConnectionStore(database)
        emailSources = EmailSourceStore(database)
        invitations = InvitationStore(database)
        users = UserStore(database)
        totp = TOTPStore(database, keyRing: keyRing)
        self.hasher = hasher
        self.own = own
        self.sendInvitation = sendInvitation
        self.prepareTeam = prepareTeam
    }

    /// The hosts that a team may register in a mode.
    func policy(of mode: TeamMode) -> HostPolicy {
        let policy: HostPolicy = mode == .sandbox ? .hostNamesAndLoopback : .hostNames
        return policy.apart(from: own)
    }

    /// The registry of the change's team.
    func registry(_ change: borrowing Change) async throws(PostgresFailure) -> RegisteredTeam {
        var registered = RegisteredTeam()
        registered.appIDs = try await appIDs.all(in: change.team, change.transaction)
        registered.serviceIDs = try await serviceIDs.all(in: change.team, change.transaction)
        registered.keys = try await keys.all(in: change.team, change.transaction)
        registered.appleKeys = try await appleKeys.list(in: change.team, change.transaction)
        registered.appleConnections = try await appleConnections.list(in: change.team, change.transaction)
        registered.emailSources = try await emailSources.all(in: change.team, change.transaction).map(\.draft)
        return registered
    }

    /// Applies `file`, each team in one transaction; when any team has errors, changes nothing and reports them.
    ///
    /// Every team is rehearsed first: its transaction is made and rolled back.
    ///
    /// - Throws: `PostgresFailure`, `PasswordHasher.Busy`.
    public func apply(
        _ file: RegistryFile, _ options: ApplyOptions = ApplyOptions(), by actor: Actor = .command("apply"),
        from origin: Origin = .local
    ) async throws -> ApplyReport {
        var (errors, seen): (FieldErrors, Set<String>) = (FieldErrors(), [])
        var changed: [TeamApply] = []
        for (index, entry) in file.teams.enumerated() {
            let path = FieldPath("teams")[index]
            if !seen.insert(entry.id).inserted { errors.add(path["id"], .duplicate(entry.id)) }
            let unchanged =
                options.resetsCredentials ? try await unchangedPasswords(entry, by: actor, from: origin) : []
            let apply = try await run(
                TeamApply(entry, at: path, options, hashes: nil, unchanged: unchanged, self), by: actor, from: origin)
            errors.add(apply.errors)
            if !apply.lines.isEmpty { changed.append(apply) }
        }
        guard errors.isEmpty else { return ApplyReport(outcome: .refused(errors), teams: []) }
        if changed.isEmpty { return ApplyReport(outcome: .unchanged, teams: []) }
        if options.isDryRun { return ApplyReport(outcome: .wouldChange, teams: changed.map(\.report)) }
        var applied: [ApplyReport.Team] = []
        for rehearsed in changed {
            do {
                let hashes = try await hash(rehearsed.users.passwords, in: rehearsed.team)
                let apply = try await run(
                    TeamApply(rehearsed.entry, at: rehearsed.path, options, hashes: hashes, self), by: actor,
                    from: origin)
                guard apply.errors.isEmpty else { return ApplyReport(outcome: .refused(apply.errors), teams: applied) }
                applied.append(apply.report)
            } catch {
                if applied.isEmpty { throw error }
                return ApplyReport(outcome: .interrupted("\(describing: error)"), teams: applied)
            }
        }
        return ApplyReport(outcome: .applied, teams: applied)
    }

    /// Carries a rehearsal out of the transaction that it rolls back.
    private struct RolledBack: Error { let apply: TeamApply }

    /// Changes one team in one transaction, which is rolled back after errors and in a rehearsal.
    private func run(_ apply: TeamApply, by actor: Actor, from origin: Origin) async throws -> TeamApply {
        do {
            return try await database.change(in: apply.team, by: actor, from: origin) { change in
                var apply = apply
                try await apply.run(change)
                if apply.isRehearsal || !apply.errors.isEmpty { throw RolledBack(apply: apply) }
                return apply
            }
        } catch let end as RolledBack { return end.apply } catch let errors as FieldErrors {
            var apply = apply
            apply.fail(errors)
            return apply
        }
    }

    /// The users who have the password that the file has, compared outside of a transaction because each takes long.
    private func unchangedPasswords(_ entry: RegistryFile.Team, by actor: Actor, from origin: Origin) async throws
        -> Set<LoginName>
    {
        guard var list = entry.users, let team = TeamID(rawValue: entry.id), team != .system else { return [] }
        var unchanged: Set<LoginName> = []
        // A file that was changed is told by the rehearsal.
        while let users = try? list.next(UserApply.batch), !users.isEmpty {
            let given = users.compactMap { user in
                EmailAddress(typed: user.email).flatMap { email in user.password.map { (LoginName(email), $0) } }
            }
            let passwords = Dictionary(given) { first, _ in first }
            let stored = try await database.change(in: team, by: actor, from: origin) { change in
                var stored: [(LoginName, PasswordHash)] = []
                for user in try await RegisteredUser.find(Array(passwords.keys), change) {
                    guard let hash = try await PasswordStore.hash(of: user.subject, change) else { continue }
                    stored.append((user.login, hash))
                }
                return stored
            }
            for (login, hash) in stored {
                guard let password = passwords[login] else { continue }
                if try await hasher.matches(password, hash, in: team, from: origin) { unchanged.insert(login) }
            }
        }
        return unchanged
    }

    /// Hashes passwords, outside of a transaction because each takes long.
    private func hash(_ passwords: [LoginName: NewPassword], in team: TeamID) async throws(PasswordHasher.Busy)
        -> [LoginName: PasswordHash]
    {
        var hashes: [LoginName: PasswordHash] = [:]
        for (login, password) in passwords { hashes[login] = try await hasher.hash(password, for: team, from: .local) }
        return hashes
    }

    /// The team's entry in a registry file, without users and secrets; nil when there is no such team.
    public func entry(of team: TeamID) async throws -> RegistryFile.Team? {
        var entry: RegistryFile.Team?
        try await database.change(in: team, by: .command("export"), from: .local) { change in
            if let stored = try await TeamStore.lock(change), !stored.isSystem, stored.closedAt == nil {
                entry = RegistryFile.Team(team, stored.settings, try await registry(change))
                entry?.members = try await MemberApply.exported(change)
            }
        }
        return entry
    }

    /// Writes the team as a registry file without secrets, in parts; two exports of the same team are equal.
    ///
    /// Applied to the same team, the file changes nothing. Revoked keys are omitted, and so are users who do not sign
    /// in with their address, because a file cannot name them.
    ///
    /// - Returns: false when there is no such team.
    public func export(_ team: TeamID, _ write: ([UInt8]) -> Void) async throws -> Bool {
        guard let entry = try await entry(of: team) else { return false }
        let end = "\n    }\n  ]\n}"
        write(
            JSON.encode(["teams": [entry]], pretty: true).dropLast(end.utf8.count)
                + Array(",\n      \"users\" : [".utf8))
        var last = ""
        while true {
            // Each page in a transaction of its own, because what reads the file may pause.
            let users = try await database.change(in: team, by: .command("export"), from: .local) { [last] change in
                try await RegisteredUser.page(after: last, limit: 1_000, change)
            }
            guard let next = users.last else { break }
            let texts = users.map { String(decoding: JSON.encode(RegistryFile.User($0), pretty: true), as: UTF8.self) }
            let lines = texts.joined(separator: ",\n").split(separator: "\n").map { "        \($0)" }
            write(Array(((last.isEmpty ? "\n" : ",\n") + lines.joined(separator: "\n")).utf8))
            last = next.login.rawValue
        }
        write(Array("\n      ]\(end)\n".utf8))
        return true
    }
}

extension TeamApply { fileprivate var report: ApplyReport.Team { ApplyReport.Team(id: team, lines: lines) } }

extension RegistryFile.Team {
    fileprivate init(_ team: TeamID, _ settings: TeamSettings, _ registered: RegisteredTeam) {
        id = team.rawValue
        self.settings = settings.typed
        appIDs = registered.appIDs.map { app in
            RegistryFile.AppID(
                app, registered.serviceIDs.filter { $0.appID == app.identifier },
                registered.appleConnections.first { $0.appID == app.identifier })
        }
        keys = registered.keys.filter(\.isActive).map(RegistryFile.Key.init)
        emailSources = registered.emailSources.map { draft in
            RegistryFile.EmailSource(kind: draft.source.kind, text: draft.source.text, settings: draft.settings.typed)
        }
    }
}

extension RegistryFile.AppID {
    fileprivate init(_ app: AppID, _ services: [ServiceID], _ connection: AppleConnection?) {
        entry = RegistryEntry(app.identifier.rawValue, app.settings.typed)
        apple = connection.map(RegistryFile.Apple.init)
        serviceIDs = services.map { RegistryEntry($0.identifier.rawValue, $0.settings.typed) }
    }
}

extension RegistryFile.Apple {
    /// Exports the file name that Apple uses instead of the private key, which is not exported.
    fileprivate init(_ connection: AppleConnection) {
        var settings = connection.settings.typed.merging(["teamID": .string(connection.appleTeamID.rawValue)]) { $1 }
        // A server notes the day itself: an empty one in a file that is kept would erase it.
        if settings["transferredOn"]?.string == "" { settings["transferredOn"] = nil }
        self.settings = settings
        privateKeyFile = "AuthKey_\(connection.keyID).p8"
    }
}

extension RegistryFile.Key {
    fileprivate init(_ key: Key) {
        id = key.id.rawValue
        name = key.name
        appID = key.appID.rawValue
        publicKeyPEM = key.publicKeyPEM
    }
}

extension RegistryFile.User {
    fileprivate init(_ user: RegisteredUser) {
        // The login name, because it identifies the user when the file is applied.
        email = user.login.rawValue
        (givenName, familyName, emailVerified) = (user.name.given, user.name.family, user.isEmailVerified)
    }
}
