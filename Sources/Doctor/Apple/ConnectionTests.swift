public import AuthEngine
import Directory
public import Domain
import Postgres
public import Providers
public import Registry

/// A team's connections to Apple as Apple sees them.
public struct ConnectionTests: Sendable {
    /// Bundle IDs that one test asks Apple about: each is a call of its own, and Apple throttles by the team there.
    private static let bundleLimit = 10

    /// What a test has shown.
    public struct Report: Sendable {
        /// The Services ID first.
        public let tests: [AppleConnectionTest]
        /// How many bundle IDs of the group Apple was not asked about.
        public let unasked: Int
    }

    private let connections: AppleConnectionStore
    private let keys: AppleKeyStore
    private let apps: AppIDStore
    private let database: TeamDatabase
    private let tests: AppleConnectionTestStore
    private let context: EngineContext
    private let apple: AppleProvider

    /// - Parameter apple: belongs to the loop that asks.
    public init(_ database: TeamDatabase, context: EngineContext, apple: AppleProvider) {
        self.database = database
        self.context = context
        self.apple = apple
        connections = AppleConnectionStore(database)
        keys = AppleKeyStore(database, keyRing: context.keyRing)
        apps = AppIDStore(database)
        tests = AppleConnectionTestStore(database)
    }

    /// Tries the clients of a connection, the Services ID first, and notes what Apple said.
    ///
    /// - Returns: nil when the App ID is not connected, or the master key that sealed its key is not here.
    public func test(_ appID: ClientID, in team: TeamID) async throws -> Report? {
        guard let registration = try await registration(of: appID, in: team) else { return nil }
        let returnURL = context.returnURL(of: .apple, in: team)
        let (apple, services) = (apple, registration.servicesID)
        let bundles = Self.askedBundleIDs(of: registration)
        var results: [ClientID: AppleConnectionTest] = [:]
        await withTaskGroup(of: AppleConnectionTest.self) { group in
            group.addTask { await apple.test(services, of: registration, returnURL: returnURL) }
            for bundle in bundles {
                group.addTask { await apple.test(bundle, of: registration, returnURL: nil) }
            }
            for await result in group { results[result.clientID] = result }
        }
        let tested = ([services] + bundles).compactMap { results[$0] }
        try await tests.replace(tested, of: appID, in: team)
        return Report(tests: tested, unasked: registration.bundleIDs.count - bundles.count)
    }

    /// The primary App ID, and the first others of its group in alphabetical order.
    private static func askedBundleIDs(of registration: AppleRegistration) -> [ClientID] {
        let primary = registration.bundleIDs.filter { $0 == registration.appID }
        let others = registration.bundleIDs.subtracting(primary).sorted { $0.rawValue < $1.rawValue }
        return Array((Array(primary) + others).prefix(bundleLimit))
    }

    /// Whether the App ID is connected at all.
    public func isConnected(_ appID: ClientID, in team: TeamID) async throws -> Bool {
        try await connections.find(of: appID, in: team) != nil
    }

    /// What the group of an App ID is to Apple, as it is saved this moment, whether people may sign in there or not.
    public func registration(of appID: ClientID, in team: TeamID) async throws -> AppleRegistration? {
        guard let connection = try await connections.find(of: appID, in: team),
            let key = try await keys.signingKey(connection.keyID, in: team)
        else { return nil }
        return AppleRegistration(
            team: team,
            appID: appID,
            teamID: connection.appleTeamID,
            servicesID: connection.servicesID,
            bundleIDs: Set(try await bundleIDs(of: appID, in: team)),
            keyID: connection.keyID,
            key: key
        )
    }

    /// The bundle IDs of the group, which are the clients of native sign-ins, in alphabetical order.
    public func bundleIDs(of appID: ClientID, in team: TeamID) async throws -> [ClientID] {
        let all = try await database.transaction(in: team) { transaction in
            try await apps.all(in: team, transaction)
        }
        return AppleConnection.bundleIDs(of: appID, among: all.map { ($0.identifier, $0.group) })
    }
}
