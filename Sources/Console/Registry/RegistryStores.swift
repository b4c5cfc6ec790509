import Core
import Crypto
import HTTP
import Platform
import Postgres
import Registry
import SignIn

/// Stores of the registry.
struct RegistryStores: Sendable {
    private let parts: Console.Parts

    init(_ parts: Console.Parts) { self.parts = parts }

    private var database: TeamDatabase { parts.database }
    var appIDs: AppIDStore { AppIDStore(database) }
    var serviceIDs: ServiceIDStore { ServiceIDStore(database) }
    var keys: KeyStore { KeyStore(database, keyRing: parts.server.keyRing, random: parts.server.random) }
    var appleKeys: AppleKeyStore { AppleKeyStore(database, keyRing: parts.server.keyRing) }
    var appleConnections: AppleConnectionStore { AppleConnectionStore(database) }
    var appleTests: AppleConnectionTestStore { AppleConnectionTestStore(database) }
    var domains: DomainStore { DomainStore(database) }
    var emailSources: EmailSourceStore { EmailSourceStore(database) }

    /// Makes every loop of this process drop its cached state of the team; must be called after each change.
    func changed(_ team: TeamID) { parts.registryChanged(team) }

    /// All App IDs of the team, for a selection list.
    func allAppIDs(in team: TeamID) async throws -> [AppID] {
        try await database.transaction(in: team) { transaction in try await appIDs.all(in: team, transaction) }
    }

    /// All Service IDs of the team.
    func allServiceIDs(in team: TeamID) async throws -> [ServiceID] {
        try await database.transaction(in: team) { transaction in try await serviceIDs.all(in: team, transaction) }
    }

    /// Registered App IDs and Service IDs with values that are not allowed in production.
    func obstaclesToProduction(of team: TeamID) async throws -> [ProductionObstacle] {
        let (apps, services) = (try await allAppIDs(in: team), try await allServiceIDs(in: team))
        return apps.compactMap(ProductionObstacle.init) + services.compactMap(ProductionObstacle.init)
    }

    /// Primary App IDs, under which others can be grouped and for which keys can be created.
    func primaries(in team: TeamID) async throws -> [AppID] {
        try await allAppIDs(in: team).filter { $0.primary == nil }
    }

    /// Bundle IDs of the group of a primary App ID, each of which is a client of its own at Apple.
    func groupBundleIDs(of primary: String, in team: TeamID) async throws -> [ClientID] {
        guard let primary = ClientID(rawValue: primary) else { return [] }
        let all = try await allAppIDs(in: team)
        return AppleConnection.bundleIDs(of: primary, among: all.map { ($0.identifier, $0.primaryAppID) })
    }

    /// Active keys of one App ID.
    func activeKeys(of appID: ClientID, in team: TeamID) async throws -> [Key] {
        try await keys.active(of: appID, in: team)
    }

    /// Active keys that sign for an App ID: those of its primary App ID.
    func activeKeys(ofGroupOf appID: ClientID, in team: TeamID) async throws -> [Key] {
        let primary = try await appIDs.find(appID, in: team)?.primary
        return try await activeKeys(of: primary ?? appID, in: team)
    }

    func hasAppIDs(in team: TeamID) async throws -> Bool {
        try await appIDs.list(PageQuery(limit: 1), in: team).total > 0
    }
}
