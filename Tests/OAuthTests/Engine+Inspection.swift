import Core
import Federation
import Platform

@testable import OAuth
@testable import TestTeams

// Asking about tokens and people, and signing out.
extension Engine {
    /// What the endpoint says of a token, asked by that client.
    func introspect(_ token: String, by client: ClientID = .web, in team: TeamID = .acme) async throws -> JSONValue {
        let introspection = Introspection(server: teams.server, database: teams.database)
        let parameters = try parameters(of: client, in: team, ["token": token])
        let body = try await respond(at: introspection, to: parameters, of: try await snapshot(team))
        return try JSON.decode(JSONValue.self, from: body)
    }

    /// The claims behind an access token, or nil when it is not good.
    func userinfo(_ token: String, in team: TeamID = .acme) async throws -> JSONValue? {
        let userinfo = Userinfo(server: teams.server, database: teams.database)
        guard let body = try await userinfo.respond(to: token, of: try await snapshot(team)) else { return nil }
        return try JSON.decode(JSONValue.self, from: body)
    }

    /// How a client stands with whom `sub` names.
    func credentialState(of sub: String, at client: ClientID = .web, in team: TeamID = .acme) async throws -> String? {
        let states = CredentialStates(database: teams.database)
        let parameters = try parameters(of: client, in: team, ["sub": sub])
        let body = try await respond(at: states, to: parameters, of: try await snapshot(team))
        return try JSON.decode(JSONValue.self, from: body)["credential_state"]?.string
    }

    func signOut(_ sub: String, _ refreshToken: String? = nil, at client: ClientID = .web, in team: TeamID = .acme)
        async throws
    {
        let signOut = SignOut(ends: AuthorizationEndStore(teams.database))
        let parameters = try parameters(of: client, in: team, ["sub": sub, "refresh_token": refreshToken])
        _ = try await respond(at: signOut, to: parameters, of: try await snapshot(team))
    }

    /// Ends what Ada gave to a group of apps; false where she gave nothing.
    func endConsent(for primaryAppID: ClientID = .app, in team: TeamID = .acme) async throws -> Bool {
        try await AuthorizationEndStore(database).endConsent(
            of: ada, for: primaryAppID, in: team, by: .person(ada), from: .test)
    }

    /// What a client proves itself with, and what it asks.
    func parameters(of client: ClientID, in team: TeamID = .acme, _ changes: Changes) throws -> ProtocolParameters {
        let secret = try teams.secret(of: client, in: team)
        return try ProtocolParameters(["client_id": client.rawValue, "client_secret": secret], changes)
    }

    /// A token of the client itself.
    func clientToken(of client: ClientID = .web, in team: TeamID = .acme, _ changes: Changes = [:]) async throws
        -> TokenAnswer
    {
        let base: Changes = ["grant_type": "client_credentials", "scope": "user.migration"]
        let body = try await respond(
            at: tokens, to: try parameters(of: client, in: team, base.merging(changes) { $1 }),
            of: try await snapshot(team))
        return TokenAnswer(json: try JSON.decode(JSONValue.self, from: body))
    }
}
