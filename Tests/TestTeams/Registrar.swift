import Core
import Crypto
import Directory
import OAuth
import Platform
import Postgres
import Registry

/// Fills the registry and the directory of a team, in one transaction each.
struct Registrar {
    let database: TeamDatabase
    let server: ServerContext

    static let actor = Actor.system("test")
    static let origin = Origin.local

    func registerAcme() async throws -> [Subject] {
        try await database.transaction(in: .acme) { transaction in
            try await app(.app, in: .acme, transaction)
            try await app(.sister, under: .app, in: .acme, transaction)
            try await app(.other, in: .acme, transaction)
            try await app(.off, isEnabled: false, in: .acme, transaction)
            try await service(.web, of: .app, in: .acme, transaction)
            try await service(.strict, of: .app, in: .acme, requiresPKCE: true, transaction)
            try await service(.legacy, of: .app, in: .acme, issuer: "apple", booleans: "string", transaction)
            try await service(.sisterWeb, of: .sister, in: .acme, transaction)
            try await service(.otherWeb, of: .other, in: .acme, transaction)
            try await service(.offWeb, of: .off, in: .acme, transaction)
            try await key(.acmeRevoked, of: .app, in: .acme, transaction)
            _ = try await keys.revoke(
                .acmeRevoked, reason: "rotation", in: .acme, by: Self.actor, from: Self.origin, transaction)
            try await key(.acme, of: .app, in: .acme, transaction)
            try await key(.acmeOther, of: .other, in: .acme, transaction)
            try await signingKey(of: .acme, transaction)
            var people: [Subject] = []
            for name in ["Ada", "Ben", "Cleo"] { people.append(try await person(name, in: .acme, transaction)) }
            return people
        }
    }

    func registerRival() async throws -> Subject {
        try await database.transaction(in: .rival) { transaction in
            try await app(.rivalApp, in: .rival, transaction)
            try await service(.web, of: .rivalApp, in: .rival, transaction)
            try await key(.rival, of: .rivalApp, in: .rival, transaction)
            try await signingKey(of: .rival, transaction)
            return try await person("Ada", in: .rival, transaction)
        }
    }

    private var keys: KeyStore { KeyStore(database, keyRing: server.keyRing) }

    func app(
        _ id: ClientID, under primary: ClientID? = nil, isEnabled: Bool = true, in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        let input = AppID.Input(
            identifier: id.rawValue, description: "The app \(id)", isEnabled: isEnabled,
            primary: primary?.rawValue ?? "")
        let draft = try AppID.Draft(parsing: input, policy: .hostNames)
        _ = try await AppIDStore(database).create(draft, in: team, by: Self.actor, from: Self.origin, transaction)
    }

    private func service(
        _ id: ClientID, of app: ClientID, in team: TeamID, issuer: String = "own", booleans: String = "json",
        requiresPKCE: Bool = false, _ transaction: borrowing Transaction
    ) async throws {
        let input = ServiceID.Input(
            identifier: id.rawValue, description: "Web of \(app)", domains: ["acme.example"],
            returnURLs: [TestTeams.callback, TestTeams.queryCallback], issuer: issuer, booleans: booleans,
            requiresPKCE: requiresPKCE)
        let draft = try ServiceID.Draft(parsing: input, of: app, policy: .hostNames)
        _ = try await ServiceIDStore(database).create(draft, in: team, by: Self.actor, from: Self.origin, transaction)
    }

    func key(_ id: KeyID, of app: ClientID, in team: TeamID, _ transaction: borrowing Transaction) async throws {
        let registration = try Key.Registration(
            id: id.rawValue, name: "Key \(id)", appID: app.rawValue, publicKeyPEM: TestKeys.key(id).publicKey.pem)
        _ = try await keys.register(registration, in: team, by: Self.actor, from: Self.origin, transaction)
    }

    func signingKey(of team: TeamID, _ transaction: borrowing Transaction) async throws {
        try await SigningKeyStore.insert(
            TestKeys.signing, for: team, activeFrom: server.clock() - .seconds(60), keyRing: server.keyRing,
            in: transaction)
    }

    func person(_ name: String, in team: TeamID, _ transaction: borrowing Transaction) async throws -> Subject {
        guard let personName = PersonName(given: name, family: "Lovelace") else { throw TestFailure(name) }
        let new = NewUser(
            name: personName, email: EmailAddress(rawValue: "\(name.lowercased())@acme.example"), isEmailVerified: true,
            password: try TestTeams.argon2id.hash(People.password))
        return try await UserStore(database, random: server.random).create(
            new, in: team, by: Self.actor, from: Self.origin, transaction)
    }
}
