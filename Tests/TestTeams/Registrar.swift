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

    func registerAcme() async throws -> [Subject] {
        try await database.change(in: .acme) { change in
            try await app(.app, change)
            try await app(.sister, under: .app, change)
            try await app(.other, change)
            try await app(.off, isEnabled: false, change)
            try await service(.web, of: .app, change)
            try await service(.strict, of: .app, requiresPKCE: true, change)
            try await service(.legacy, of: .app, issuer: "apple", booleans: "string", change)
            try await service(.sisterWeb, of: .sister, change)
            try await service(.otherWeb, of: .other, change)
            try await service(.offWeb, of: .off, change)
            try await key(.acmeRevoked, of: .app, change)
            _ = try await keys.revoke(.acmeRevoked, reason: "rotation", change)
            try await key(.acme, of: .app, change)
            try await key(.acmeOther, of: .other, change)
            try await signingKey(change)
            var people: [Subject] = []
            for name in ["Ada", "Ben", "Cleo"] { people.append(try await person(name, change)) }
            return people
        }
    }

    func registerRival() async throws -> Subject {
        try await database.change(in: .rival) { change in
            try await app(.rivalApp, change)
            try await service(.web, of: .rivalApp, change)
            try await key(.rival, of: .rivalApp, change)
            try await signingKey(change)
            return try await person("Ada", change)
        }
    }

    private var keys: KeyStore { KeyStore(database, keyRing: server.keyRing) }

    func app(_ id: ClientID, under primary: ClientID? = nil, isEnabled: Bool = true, _ change: borrowing Change)
        async throws
    {
        let typed: Typed = [
            "description": .string("The app \(id)"), "signIn": .boolean(isEnabled),
            "primary": .string(primary?.rawValue ?? ""),
        ]
        let draft = try AppID.Draft(id.rawValue, typed, policy: .hostNames)
        _ = try await AppIDStore(database).create(draft, change)
    }

    private func service(
        _ id: ClientID, of app: ClientID, issuer: String = "own", booleans: String = "json", requiresPKCE: Bool = false,
        _ change: borrowing Change
    ) async throws {
        let typed: Typed = [
            "description": .string("Web of \(app)"), "domains": ["acme.example"],
            "returnURLs": .strings([TestTeams.callback, TestTeams.queryCallback]), "issuer": .string(issuer),
            "booleans": .string(booleans), "requirePKCE": .boolean(requiresPKCE),
        ]
        let draft = try ServiceID.Draft(id.rawValue, of: app, typed, policy: .hostNames)
        _ = try await ServiceIDStore(database).create(draft, change)
    }

    func key(_ id: KeyID, of app: ClientID, _ change: borrowing Change) async throws {
        let registration = try Key.Registration(
            id: id.rawValue, name: "Key \(id)", appID: app.rawValue, publicKeyPEM: TestKeys.key(id).publicKey.pem)
        _ = try await keys.register(registration, change)
    }

    func signingKey(_ change: borrowing Change) async throws {
        try await SigningKeyStore.insert(
            TestKeys.signing, activeFrom: server.clock() - .seconds(60), keyRing: server.keyRing, change)
    }

    func person(_ name: String, _ change: borrowing Change) async throws -> Subject {
        guard let personName = PersonName(given: name, family: "Lovelace") else { throw TestFailure(name) }
        let new = NewUser(
            name: personName, email: EmailAddress(rawValue: "\(name.lowercased())@acme.example"), isEmailVerified: true,
            password: try TestTeams.argon2id.hash(People.password))
        return try await UserStore(database, random: server.random).create(new, change)
    }
}
