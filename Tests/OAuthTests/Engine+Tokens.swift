import Core
import Crypto
import Platform
import Testing

@testable import OAuth
@testable import TestTeams

/// What the token endpoint answered.
struct TokenAnswer: Sendable {
    let json: JSONValue

    var accessToken: String { json["access_token"]?.string ?? "" }
    var refreshToken: String { json["refresh_token"]?.string ?? "" }
    var idToken: String { json["id_token"]?.string ?? "" }
}

// Redeeming, refreshing, revoking.
extension Engine {
    func redeem(_ code: String, _ client: ClientID = .web, in team: TeamID = .acme, _ changes: Changes = [:])
        async throws -> TokenAnswer
    {
        let base = [
            "client_id": client.rawValue, "client_secret": try teams.secret(of: client, in: team),
            "grant_type": "authorization_code", "code": code, "redirect_uri": TestTeams.callback,
        ]
        return try await ask(base, changes, team)
    }

    /// Why a code is not redeemed, or nil when it is.
    func refusal(redeeming code: String, _ client: ClientID = .web, in team: TeamID = .acme, _ changes: Changes = [:])
        async throws -> OAuthError?
    {
        do {
            _ = try await redeem(code, client, in: team, changes)
            return nil
        } catch let error as OAuthError { return error }
    }

    func refresh(_ token: String, _ client: ClientID = .web, in team: TeamID = .acme) async throws -> TokenAnswer {
        let base = [
            "client_id": client.rawValue, "client_secret": try teams.secret(of: client, in: team),
            "grant_type": "refresh_token", "refresh_token": token,
        ]
        return try await ask(base, [:], team)
    }

    private func ask(_ base: [String: String], _ changes: Changes, _ team: TeamID) async throws -> TokenAnswer {
        let parameters = try ProtocolParameters(base, changes)
        let body = try await respond(at: tokens, to: parameters, of: try await snapshot(team))
        return TokenAnswer(json: try JSON.decode(JSONValue.self, from: body))
    }

    func revoke(_ token: String?, _ client: ClientID = .web, in team: TeamID = .acme, _ changes: Changes = [:])
        async throws
    {
        var base = ["client_id": client.rawValue, "client_secret": try teams.secret(of: client, in: team)]
        base["token"] = token
        _ = try await respond(at: revocation, to: try ProtocolParameters(base, changes), of: try await snapshot(team))
    }

    /// The tokens of a whole sign-in.
    func tokens(
        for person: Subject? = nil, at client: ClientID = .web, _ changes: Changes = Engine.fullRequest,
        in team: TeamID = .acme
    ) async throws -> TokenAnswer {
        try await redeem(try await code(for: person, to: client, changes, in: team), client, in: team)
    }

    /// Whether a refresh token still works.
    func isAlive(_ token: String, _ client: ClientID = .web, in team: TeamID = .acme) async throws -> Bool {
        do {
            _ = try await refresh(token, client, in: team)
            return true
        } catch let error as OAuthError where error.code == .invalidGrant { return false }
    }

    /// The claims of an id_token, once a key of the published set has proved it.
    func claims(_ idToken: String, in team: TeamID = .acme) async throws -> Claims {
        let keys = try JWKSet(json: try await snapshot(team).keySet(at: clock.now))
        let token = try UnverifiedJWT(idToken)
        let kid = try #require(token.header.keyID)
        let key = try #require(keys.key(id: kid, algorithm: .rs256))
        return try token.verify(with: key)
    }
}
