import Core
import Crypto
import Directory
import Federation
public import Platform
import Postgres
import Registry
import TestDatabase

extension TeamID {
    /// The team that apps are registered under at the Apple simulator.
    public static let appleSide: TeamID = {
        guard let id = TeamID(rawValue: "APPLESIM00") else { preconditionFailure("no team id") }
        return id
    }()
}

extension ClientID {
    /// What Acme is at Apple on the web.
    public static let siwa = named("com.acme.siwa")
}

extension KeyID {
    /// Acme's key at Apple.
    public static let apple = named("APPLEKEY01")
}

extension TestTeams {
    /// Registers Acme's group at the Apple simulator, and the simulator at Acme; called on the loop.
    func registerAtApple() async throws {
        try admin("INSERT INTO teams (team_id, name, mode) VALUES ('APPLESIM00', 'Apple', 'production')")
        let registrar = Registrar(database: database, server: server)
        try await registrar.registerAppleSide(returnURL: server.returnURL(of: .apple, in: .acme))
        try await registrar.connect(.app, of: .acme)
    }

    /// Registers Rival's group there too, under the names that Acme has; called on the loop.
    public func connectRival() async throws {
        try await Registrar(database: database, server: server).connect(.rivalApp, of: .rival)
        try setIdentitySources("directory,apple", of: .rival)
    }
}

extension Registrar {
    fileprivate func registerAppleSide(returnURL: String) async throws {
        try await database.change(in: .appleSide) { change in
            for id in [ClientID.app, .sister] { try await app(id, under: id == .app ? nil : .app, change) }
            let draft = try ServiceID.Draft(
                ClientID.siwa.rawValue, of: .app,
                ["description": "Acme", "domains": ["pippin.example"], "returnURLs": .strings([returnURL])],
                policy: .hostNames)
            _ = try await ServiceIDStore(database).create(draft, change)
            try await key(.apple, of: .app, change)
            try await signingKey(change)
        }
    }

    fileprivate func connect(_ app: ClientID, of team: TeamID) async throws {
        try await database.change(in: team) { change in
            let key = try AppleKey.Import(
                KeyID.apple.rawValue, of: app.rawValue, privateKey: TestKeys.key(.apple).pem,
                ["name": "Apple", "teamID": .string(TeamID.appleSide.rawValue)])
            _ = try await AppleKeyStore(database, keyRing: server.keyRing).create(key, change)
            let typed: Typed = ["servicesID": .string(ClientID.siwa.rawValue), "keyID": .string(KeyID.apple.rawValue)]
            let draft = try AppleConnection.Draft(app.rawValue, typed)
            _ = try await AppleConnectionStore(database).save(draft, over: .none, change)
        }
    }
}
