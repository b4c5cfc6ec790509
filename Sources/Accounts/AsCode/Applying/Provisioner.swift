import Core
public import Crypto
public import Directory
public import Platform
import Postgres
import Registry

/// Applies registry files to teams, and exports teams as registry files.
public struct Provisioner: Sendable {
    /// Creates what a new team needs in other modules, such as its first signing key, in the change that creates it.
    public typealias TeamPreparation = @Sendable (borrowing Change) async throws -> Void

    let database: TeamDatabase
    let appIDs: AppIDStore
    let serviceIDs: ServiceIDStore
    let keys: KeyStore
    let appleKeys: AppleKeyStore
    let appleConnections: AppleConnectionStore
    let emailSources: EmailSourceStore
    let users: UserStore
    let totp: TOTPStore
    let hasher: PasswordHasher
    let publicURL: String
    let prepareTeam: TeamPreparation

    /// - Parameter publicURL: Pippin's own origin, which no team may register.
    public init(
        _ database: TeamDatabase, keyRing: KeyRing, hasher: PasswordHasher, publicURL: String,
        prepareTeam: @escaping TeamPreparation
    ) {
        self.database = database
        appIDs = AppIDStore(database)
        serviceIDs = ServiceIDStore(database)
        keys = KeyStore(database, keyRing: keyRing)
        appleKeys = AppleKeyStore(database, keyRing: keyRing)
        appleConnections = AppleConnectionStore(database)
        emailSources = EmailSourceStore(database)
        users = UserStore(database)
        totp = TOTPStore(database, keyRing: keyRing)
        self.hasher = hasher
        self.publicURL = publicURL
        self.prepareTeam = prepareTeam
    }

    /// The users to read.
    enum Users {
        case named([LoginName])
        case all
    }

    /// Reads the team's registry and users, and locks the team's row until the transaction ends.
    func read(_ team: TeamID, _ users: Users, _ transaction: borrowing Transaction) async throws(PostgresFailure)
        -> RegisteredTeam
    {
        var registered = RegisteredTeam()
        registered.publicURL = publicURL
        registered.state = try await ProvisionedTeamStore.lock(team, transaction)
        guard registered.settings != nil else { return registered }
        registered.appIDs = try await appIDs.all(in: team, transaction)
        registered.serviceIDs = try await serviceIDs.all(in: team, transaction)
        registered.keys = try await keys.all(in: team, transaction)
        registered.appleKeys = try await appleKeys.list(in: team, transaction)
        registered.appleConnections = try await appleConnections.list(in: team, transaction)
        registered.emailSources = try await emailSources.all(in: team, transaction).map(\.draft)
        registered.users =
            switch users {
            case .all: try await ProvisionedUserStore.all(in: team, transaction)
            case .named(let logins): try await ProvisionedUserStore.find(logins, in: team, transaction)
            }
        return registered
    }

    /// Applies `file`, each team in one transaction; when any team has errors, changes nothing and reports them.
    ///
    /// - Throws: `PostgresFailure`, `PasswordHasher.Busy`.
    public func apply(
        _ file: RegistryFile, _ options: ApplyOptions = ApplyOptions(), by actor: Actor = .command("apply"),
        from origin: Origin = .local
    ) async throws -> ApplyReport {
        let plans: [TeamPlan]
        do { plans = try await plan(file, options).filter { !$0.changes.isEmpty } } catch let errors as FieldErrors {
            return ApplyReport(outcome: .refused(errors), teams: [])
        }
        let teams = plans.map(\.report)
        if plans.isEmpty { return ApplyReport(outcome: .unchanged, teams: []) }
        if options.isDryRun { return ApplyReport(outcome: .wouldChange, teams: teams) }
        var applied: [ApplyReport.Team] = []
        for plan in plans {
            do { applied.append(try await carryOut(plan, options, by: actor, from: origin).report) } catch let errors
                as FieldErrors
            { return ApplyReport(outcome: .refused(errors), teams: applied) }
        }
        return ApplyReport(outcome: .applied, teams: applied)
    }

    /// Makes the changes of one team.
    ///
    /// - Returns: the plan that was applied, which differs from `plan` after a concurrent change of the team.
    private func carryOut(_ plan: TeamPlan, _ options: ApplyOptions, by actor: Actor, from origin: Origin) async throws
        -> TeamPlan
    {
        var plan = plan
        for _ in 0..<3 {
            let application = TeamApplication(
                provisioner: self, plan: plan, options: options, hashes: try await hash(plan), actor: actor,
                origin: origin)
            do { return try await application.run() } catch is TeamApplication.Outdated {
                let registered = try await registered(for: plan.entry, options)
                plan = try TeamPlan(plan.entry, at: plan.path, from: registered, options)
            }
        }
        throw PostgresFailure.overloaded
    }

    /// The plans of all teams of the file.
    ///
    /// - Throws: `FieldErrors` with the errors of all teams; `PostgresFailure`.
    private func plan(_ file: RegistryFile, _ options: ApplyOptions) async throws -> [TeamPlan] {
        var plans: [TeamPlan] = []
        var errors = FieldErrors()
        var seen: Set<String> = []
        for (index, entry) in file.teams.enumerated() {
            let path = FieldPath("teams")[index]
            if !seen.insert(entry.id).inserted { errors.add(path["id"], .duplicate(entry.id)) }
            do {
                let registered = try await registered(for: entry, options)
                plans.append(try TeamPlan(entry, at: path, from: registered, options))
            } catch let found as FieldErrors { errors.add(found) }
        }
        if !errors.isEmpty { throw errors }
        return plans
    }

    /// The stored state of the team of `entry`; empty when its id is not a Team ID.
    private func registered(for entry: RegistryFile.Team, _ options: ApplyOptions) async throws -> RegisteredTeam {
        guard let team = TeamID(rawValue: entry.id) else { return RegisteredTeam() }
        return try await database.transaction(in: team) { transaction in
            try await read(team, entry.users(options), transaction)
        }
    }

    /// Hashes the passwords of a plan, outside of a transaction because each takes long.
    private func hash(_ plan: TeamPlan) async throws(PasswordHasher.Busy) -> [LoginName: PasswordHash] {
        var hashes: [LoginName: PasswordHash] = [:]
        for change in plan.changes {
            switch change {
            case .createUser(let user):
                if let password = user.password { hashes[user.login] = try await hasher.hash(password, for: plan.team) }
            case .resetPassword(let user, let password):
                hashes[user.login] = try await hasher.hash(password, for: plan.team)
            default: continue
            }
        }
        return hashes
    }

    /// The team as a registry file without secrets; nil when there is no such team.
    ///
    /// Applied to the same team, the file changes nothing. Revoked keys are omitted, and so are users who do not sign
    /// in with their address, because a file cannot name them.
    public func export(_ team: TeamID) async throws -> RegistryFile? {
        let registered = try await database.transaction(in: team) { transaction in
            try await read(team, .all, transaction)
        }
        return registered.settings.map { settings in
            RegistryFile(teams: [RegistryFile.Team(team, settings, registered)])
        }
    }
}

extension TeamPlan { var report: ApplyReport.Team { ApplyReport.Team(id: team, lines: changes.map(\.line)) } }

extension RegistryFile.Team {
    /// Users to read: those in the file, or all when absent ones are to be removed.
    func users(_ options: ApplyOptions) -> Provisioner.Users {
        if options.prunes, users != nil { return .all }
        return .named((users ?? []).compactMap { EmailAddress(typed: $0.email).map(LoginName.init) })
    }
}

extension RegistryFile {
    /// The file as JSON with sorted members, so that two exports of the same team are equal.
    public var json: [UInt8] { JSON.encode(self, pretty: true) + [UInt8(ascii: "\n")] }
}

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
        users = registered.users.map(RegistryFile.User.init)
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
        settings = connection.settings.typed.merging(["teamID": .string(connection.appleTeamID.rawValue)]) { $1 }
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
        givenName = user.givenName
        familyName = user.familyName
    }
}
