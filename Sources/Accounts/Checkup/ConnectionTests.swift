public import Core
public import Federation
public import OAuth
public import Platform
public import Registry

/// Tests of a team's connections to Apple.
public struct ConnectionTests: Sendable {
    /// Maximum number of bundle IDs in one test: each is a request of its own, and Apple throttles per Apple team.
    private static let bundleLimit = 10

    /// Result of testing one connection.
    public struct Report: Sendable {
        /// The test of the Services ID first.
        public let tests: [AppleConnectionTest]
        /// Number of bundle IDs of the group that were not tested.
        public let unasked: Int
    }

    private let connections: AppleConnectionStore
    private let keys: AppleKeyStore
    private let apps: AppIDStore
    private let database: TeamDatabase
    private let tests: AppleConnectionTestStore
    private let server: ServerContext
    private let apple: AppleProvider

    /// - Parameter apple: the provider of the calling event loop.
    public init(_ database: TeamDatabase, server: ServerContext, apple: AppleProvider) {
        self.database = database
        self.server = server
        self.apple = apple
        connections = AppleConnectionStore(database)
        keys = AppleKeyStore(database, keyRing: server.keyRing)
        apps = AppIDStore(database)
        tests = AppleConnectionTestStore(database)
    }

    /// Tests the clients of a connection, the Services ID first, and stores the results.
    ///
    /// - Returns: nil when the App ID has no connection, or the master key that encrypted its Apple key is missing.
    public func test(_ appID: ClientID, in team: TeamID) async throws -> Report? {
        guard let registration = try await registration(of: appID, in: team) else { return nil }
        let returnURL = server.returnURL(of: .apple, in: team)
        let (apple, services) = (apple, registration.servicesID)
        let bundles = Self.askedBundleIDs(of: registration)
        var results: [ClientID: AppleConnectionTest] = [:]
        await withTaskGroup(of: AppleConnectionTest.self) { group in
            group.addTask { await apple.test(services, of: registration, returnURL: returnURL) }
            for bundle in bundles { group.addTask { await apple.test(bundle, of: registration, returnURL: nil) } }
            for await result in group { results[result.clientID] = result }
        }
        let tested = ([services] + bundles).compactMap { results[$0] }
        try await tests.replace(tested, of: appID, in: team)
        return Report(tests: tested, unasked: registration.bundleIDs.count - bundles.count)
    }

    /// The primary App ID, then other bundle IDs of its group in alphabetical order, up to `bundleLimit`.
    private static func askedBundleIDs(of registration: AppleRegistration) -> [ClientID] {
        let primary = registration.bundleIDs.filter { $0 == registration.appID }
        let others = registration.bundleIDs.subtracting(primary).sorted { $0.rawValue < $1.rawValue }
        return Array((Array(primary) + others).prefix(bundleLimit))
    }

    /// Whether the App ID has a connection to Apple.
    public func isConnected(_ appID: ClientID, in team: TeamID) async throws -> Bool {
        try await connections.find(of: appID, in: team) != nil
    }

    /// The stored registration of an App ID's group at Apple, regardless of whether sign-in is enabled.
    public func registration(of appID: ClientID, in team: TeamID) async throws -> AppleRegistration? {
        guard let connection = try await connections.find(of: appID, in: team),
            let key = try await keys.signingKey(connection.keyID, in: team)
        else { return nil }
        return AppleRegistration(
            team: team, appID: appID, teamID: connection.appleTeamID, servicesID: connection.servicesID,
            bundleIDs: Set(try await bundleIDs(of: appID, in: team)), keyID: connection.keyID, key: key)
    }

    /// The bundle IDs of the group, which are the clients of native sign-ins, in alphabetical order.
    public func bundleIDs(of appID: ClientID, in team: TeamID) async throws -> [ClientID] {
        let all = try await database.transaction(in: team) { transaction in try await apps.all(in: team, transaction) }
        return AppleConnection.bundleIDs(of: appID, among: all.map { ($0.identifier, $0.primaryAppID) })
    }
}

/// Result that several clients of one connection share, with one explanation and the values to check.
public struct ConnectionVerdict: Sendable {
    /// At least one test, in the order of the connection's clients.
    public let tests: [AppleConnectionTest]
    private let servicesID: ClientID
    /// Whether Apple accepted the same key for another client.
    private let isKeyProved: Bool
    /// Whether an Apple simulator is used, in which a button registers the clients.
    private let isSimulator: Bool

    /// The verdicts on a connection's clients, in the order of the first client of each.
    ///
    /// - Parameters:
    ///   - servicesID: the connection's Services ID; the other clients are bundle IDs.
    ///   - isSimulator: whether an Apple simulator was tested instead of Apple.
    public static func all(of tests: [AppleConnectionTest], servicesID: ClientID, isSimulator: Bool)
        -> [ConnectionVerdict]
    {
        let isKeyProved = tests.contains { $0.outcome == .accepted }
        var groups: [[AppleConnectionTest]] = []
        for test in tests {
            if let index = groups.firstIndex(where: { test.isAlike($0[0]) }) {
                groups[index].append(test)
            } else {
                groups.append([test])
            }
        }
        return groups.map {
            ConnectionVerdict(tests: $0, servicesID: servicesID, isKeyProved: isKeyProved, isSimulator: isSimulator)
        }
    }

    public var outcome: AppleConnectionTest.Outcome { tests[0].outcome }

    public var meaning: Message {
        let (detail, count) = (tests[0].detail, tests.count)
        return switch outcome {
        case .accepted: Message("console.apple.test.accepted.meaning", count: count)
        case .refused: Message("console.apple.test.refused.meaning", count: count)
        case .unexpected: Message("console.apple.test.unexpected.meaning", ["detail": detail])
        case .throttled: Message("console.apple.test.throttled.meaning")
        case .trouble: Message("console.apple.test.trouble.meaning", ["detail": detail])
        case .unreachable: Message("console.apple.test.unreachable.meaning", ["detail": detail])
        }
    }

    /// Values to check after a rejection, the most likely first.
    public var advice: [Message] {
        guard outcome == .refused else { return [] }
        return (isSimulator ? [Message("console.apple.look.simulator")] : []) + values
    }

    private var values: [Message] {
        let (key, team) = (tests[0].keyID.rawValue, tests[0].appleTeamID.rawValue)
        let binding = Message("console.apple.look.binding", ["key": key], count: tests.count)
        guard !isKeyProved else { return [Message("console.apple.look.key-proved")] + identifiers + [binding] }
        return [Message("console.apple.look.key", ["key": key]), Message("console.apple.look.team", ["team": team])]
            + identifiers + [binding] + (isSimulator ? [] : [Message("console.apple.look.wait")])
    }

    private var identifiers: [Message] {
        tests.map { test in
            isServicesID(test)
                ? Message("console.apple.look.services-id", ["id": test.clientID.rawValue])
                : Message("console.apple.look.bundle-id", ["id": test.clientID.rawValue])
        }
    }

    /// Whether a test is of the connection's Services ID, not of a bundle ID.
    public func isServicesID(_ test: AppleConnectionTest) -> Bool { test.clientID == servicesID }
}

extension AppleConnectionTest {
    /// Whether both tests have the same result for the same key and Apple team.
    fileprivate func isAlike(_ other: AppleConnectionTest) -> Bool {
        outcome == other.outcome && detail == other.detail && keyID == other.keyID && appleTeamID == other.appleTeamID
    }
}
