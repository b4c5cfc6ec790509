import Core
import Crypto
import EventLoop
import Platform
import Postgres
import Registry
@_exported import TestDatabase
import Testing

/// The registries of Acme and Rival in a database of their own.
struct Registered: Sendable, OwnedDatabase {
    let loop: EventLoop
    let conninfo: String
    let database: TeamDatabase
    let system: SystemDatabase
    let appIDs: AppIDStore
    let serviceIDs: ServiceIDStore
    let keys: KeyStore
    let appleKeys: AppleKeyStore
    let domains: DomainStore
    let emailSources: EmailSourceStore

    private init(_ connected: ConnectedDatabase) throws {
        (loop, conninfo) = (connected.loop, connected.conninfo)
        (database, system) = (connected.database, connected.systemDatabase)
        appIDs = AppIDStore(database)
        serviceIDs = ServiceIDStore(database)
        let keyRing = KeyRing(current: try MasterKey.generate(id: "test"))
        keys = KeyStore(database, keyRing: keyRing)
        appleKeys = AppleKeyStore(database, keyRing: keyRing)
        domains = DomainStore(database)
        emailSources = EmailSourceStore(database)
    }

    /// Lends `body` both teams on a loop, with room for twenty transactions at a time.
    static func with(_ body: @escaping @Sendable (Registered) async throws -> Void) async throws {
        try await withConnectedDatabase { configuration in
            configuration.exclusive = 20
        } _: { connected in
            try await body(Registered(connected))
        }
    }

    /// The same, where Acme has its App ID.
    static func withApp(_ body: @escaping @Sendable (Registered) async throws -> Void) async throws {
        try await with { acme in
            try await acme.makeApp()
            try await body(acme)
        }
    }

    /// And its Service ID.
    static func withService(_ body: @escaping @Sendable (Registered) async throws -> Void) async throws {
        try await withApp { acme in
            try await acme.makeService()
            try await body(acme)
        }
    }

    /// The App ID `com.acme.app` or another, with nothing special about it.
    @discardableResult func makeApp(_ identifier: String = "com.acme.app", in team: TeamID = .acme) async throws
        -> AppID
    {
        let draft = try AppID.Draft(identifier, ["description": "Acme"], policy: .hostNames)
        return try await appIDs.create(draft, in: team)
    }

    @discardableResult func makeService(
        _ identifier: String = "com.acme.web", of app: String = "com.acme.app", in team: TeamID = .acme
    ) async throws -> ServiceID { try await serviceIDs.create(.sample(identifier, of: app), in: team) }

    /// The team's audit events, newest first.
    func events(in team: TeamID = .acme) async throws -> [AuditEntry] {
        try await AuditStore(database).list(in: team, limit: 100)
    }

    func number(_ sql: SQL, in team: TeamID = .acme) async throws -> Int {
        guard var row = try await database.query(sql, in: team).first else { return -1 }
        return try row.next()
    }
}

extension Subject { static let ada = Subject(hexadecimal: "ada") }

extension ClientID {
    /// One that the test is sure of.
    static func named(_ identifier: String) -> ClientID {
        guard let id = ClientID(rawValue: identifier) else { preconditionFailure("no client id: \(identifier)") }
        return id
    }
}

extension ServiceID.Draft {
    /// A Service ID with one domain and one return URL.
    static func sample(
        _ identifier: String = "com.acme.web", of app: String = "com.acme.app", description: String = "Acme Web",
        domains: [String] = ["acme.example"], returnURLs: [String] = ["https://acme.example/callback"]
    ) throws -> ServiceID.Draft {
        try ServiceID.Draft(
            identifier, of: .named(app),
            ["description": .string(description), "domains": .strings(domains), "returnURLs": .strings(returnURLs)],
            policy: .hostNames)
    }
}
