import Core
import Crypto
import Directory
import Platform
import Postgres
import Registry
import Testing

@testable import Accounts
@testable import OAuth
@testable import TestTeams

// Moving an app and its people from Acme to Rival.
extension Engine {
    static let member = Actor.system("member")

    var transfers: AppTransfers { AppTransfers(teams.database, server: teams.server) }

    /// `com.acme.other`, which is a group of its own, with its Service ID.
    func offer(_ app: ClientID = .other, to target: TeamID = .rival) async throws -> TransferID {
        try await transfers.offer(app, to: target, in: .acme, by: Engine.member, from: .test)
    }

    func accept(_ id: TransferID, in team: TeamID = .rival) async throws -> ClientID? {
        try await transfers.accept(id, because: "bought", policy: .hostNames, in: team, by: Engine.member, from: .test)
    }

    /// Takes the app over, with a key of Rival's for it.
    func moveApp() async throws {
        #expect(try await accept(try await offer()) == .other)
        let registration = try Key.Registration(
            id: KeyID.acmeOther.rawValue, name: "Rival's", appID: ClientID.other.rawValue,
            publicKeyPEM: TestKeys.acmeOther.publicKey.pem)
        try await teams.database.change(in: .rival, by: Engine.member, from: .test) { change in
            _ = try await teams.keys.register(registration, change)
        }
    }

    /// What the address answers to that team's client of the app.
    func migrate(_ changes: Changes, in team: TeamID, token: String? = nil) async throws -> JSONValue {
        let parameters = try parameters(of: .otherWeb, in: team, key: .acmeOther, changes)
        let snapshot = try await snapshot(team)
        let own = TokenIssuer(team: snapshot, server: teams.server, database: teams.database).accessToken(
            for: .otherWeb, at: clock.now)
        let migration = UserMigration(server: teams.server, database: teams.database)
        let body = try await respond(at: migration, to: parameters, accessToken: token ?? own, of: snapshot)
        return try JSON.decode(JSONValue.self, from: body)
    }

    /// What the team that took the app says of somebody's state.
    func movedState(of sub: String) async throws -> String? {
        try await movedCredential(of: sub)["credential_state"]?.string
    }

    /// All that the team that took the app says of somebody.
    func movedCredential(of sub: String) async throws -> JSONValue {
        try await json(
            at: CredentialStates(database: teams.database), of: .otherWeb, in: .rival, key: .acmeOther, ["sub": sub])
    }

    func transferName(of sub: String? = nil) async throws -> String {
        let answer = try await migrate(["sub": sub ?? ada.rawValue, "target": TeamID.rival.rawValue], in: .acme)
        return try #require(answer["transfer_sub"]?.string)
    }

    func refusal(migrating changes: Changes, in team: TeamID, token: String? = nil) async throws -> RefusalCause? {
        do {
            _ = try await migrate(changes, in: team, token: token)
            return nil
        } catch let error as OAuthError {
            #expect(error.code == .invalidRequest)
            return error.cause
        }
    }
}

/// Lends `body` the engine of teams between which `com.acme.other` has moved, where Ada had signed in before.
func withMovedApp(_ body: @escaping @Sendable (Engine) async throws -> Void) async throws {
    try await withEngine { engine in
        _ = try await engine.tokens(at: .otherWeb)
        try await engine.moveApp()
        try await body(engine)
    }
}
