public import Crypto
public import Directory
public import Platform
public import Postgres
import Registry

/// Applies registry files to teams, and exports teams as registry files.
public struct Provisioner: Sendable {
    /// Creates what a new team needs in other modules, such as its first signing key, in the creating transaction.
    public typealias TeamPreparation = @Sendable (TeamID, borrowing Transaction) async throws -> Void

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
}
