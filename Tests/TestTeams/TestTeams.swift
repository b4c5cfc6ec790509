// TestTeams: Acme and Rival, registered as their people would, for tests of the engine and of what stands on it.
//
// Owns: the cast, a clock and a source of randomness that tests turn by hand, client secrets right and wrong.
// Must not know: HTTP, HTML.

public import Crypto
public import Directory
public import EventLoop
public import OAuth
public import Platform
public import Postgres
public import Registry
@_exported public import TestDatabase

/// Both teams in a database of their own, seen from a loop as a server sees it.
public struct TestTeams: OwnedDatabase, Sendable {
    public static let publicURL = "https://pippin.example"
    public static let relayDomain = "relay.example"
    public static let callback = "https://acme.example/callback"
    /// Registered too, with its query.
    public static let queryCallback = "https://acme.example/callback?type=appleid"
    public static let origin = Origin(ip: "203.0.113.7", userAgent: "Test/1.0", requestID: "request-1")
    /// Hashes fast, so that tests may sign in often.
    public static let argon2id = Argon2id(memoryKiB: 8, passes: 1)

    public let conninfo: String
    public let loop: EventLoop
    public let connections: Database
    public let clock: TestClock
    public let server: ServerContext
    public let people: People
    /// With the counts of one process.
    public var database: TeamDatabase

    public var keys: KeyStore { KeyStore(database, keyRing: server.keyRing) }
    public var serviceIDs: ServiceIDStore { ServiceIDStore(database) }
    public var testSignIns: TestSignInStore { TestSignInStore(database: database, keyRing: server.keyRing) }
    public var sessions: SessionStore { SessionStore(database, random: server.random) }

    /// The same teams with other numbers for limits, by their names: as another process that counts beside.
    public func limited(_ limits: [String: Int]) -> TestTeams {
        var teams = self
        teams.database = TeamDatabase(connections, limits: LimitCounts(adjusted: limits))
        return teams
    }

    public func consents() throws -> ConsentStore {
        guard let relay = RelayDomain(Self.relayDomain) else { throw TestFailure("no relay domain") }
        return ConsentStore(database, relay: relay, random: server.random)
    }

    /// A client secret of that client and key, with what a test changes in it, signed.
    public func secret(
        of client: ClientID = .web, in team: TeamID = .acme, key: KeyID? = nil,
        _ change: (inout ClientSecret) -> Void = { _ in }
    ) throws -> String {
        let key = key ?? Self.key(of: client, in: team)
        var secret = ClientSecret(of: client, in: team, key: key, audience: "https://appleid.apple.com", at: clock.now)
        change(&secret)
        return try secret.signed(with: TestKeys.key(key))
    }

    /// The key that signs for a client.
    public static func key(of client: ClientID, in team: TeamID) -> KeyID {
        if team == .rival { return .rival }
        return [.other, .otherWeb].contains(client) ? .acmeOther : .acme
    }

    /// Registers another person of Acme; called on the loop.
    public func addPerson(_ name: String) async throws -> Subject {
        try await database.change(in: .acme) { change in
            try await Registrar(database: database, server: server).person(name, change)
        }
    }

}

/// A test that cannot go on.
public struct TestFailure: Error {
    public let reason: String

    public init(_ reason: String) { self.reason = reason }
}
