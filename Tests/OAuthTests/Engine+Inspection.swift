import Core
import Federation
import Platform

@testable import OAuth
@testable import TestTeams

// Asking about tokens and people, and signing out.
extension Engine {
    /// What the endpoint says of a token, asked by that client.
    func introspect(_ token: String, by client: ClientID = .web, in team: TeamID = .acme) async throws -> JSONValue {
        try await json(
            at: Introspection(server: teams.server, database: teams.database), of: client, in: team, ["token": token])
    }

    /// The claims behind an access token, or nil when it is not good.
    func userinfo(_ token: String, in team: TeamID = .acme) async throws -> JSONValue? {
        let userinfo = Userinfo(server: teams.server, database: teams.database)
        guard let body = try await userinfo.respond(to: token, of: try await snapshot(team)) else { return nil }
        return try JSON.decode(JSONValue.self, from: body)
    }

    /// How a client stands with whom `sub` names.
    func credentialState(of sub: String, at client: ClientID = .web, in team: TeamID = .acme) async throws -> String? {
        try await json(at: CredentialStates(database: teams.database), of: client, in: team, ["sub": sub])[
            "credential_state"]?.string
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
    func parameters(of client: ClientID, in team: TeamID = .acme, key: KeyID? = nil, _ changes: Changes) throws
        -> ProtocolParameters
    {
        let secret = try teams.secret(of: client, in: team, key: key)
        return try ProtocolParameters(["client_id": client.rawValue, "client_secret": secret], changes)
    }

    /// What an endpoint answers to a client that proves itself.
    func json(
        at endpoint: some ClientEndpoint, of client: ClientID, in team: TeamID, key: KeyID? = nil, _ changes: Changes
    ) async throws -> JSONValue {
        let parameters = try parameters(of: client, in: team, key: key, changes)
        return try JSON.decode(
            JSONValue.self, from: try await respond(at: endpoint, to: parameters, of: try await snapshot(team)))
    }

    /// A token of the client itself.
    func clientToken(of client: ClientID = .web, in team: TeamID = .acme, _ changes: Changes = [:]) async throws
        -> TokenAnswer
    { try await ask(["grant_type": "client_credentials", "scope": "user.migration"], changes, client, team) }
}
