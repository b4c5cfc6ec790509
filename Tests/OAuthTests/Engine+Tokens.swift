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
        let base: Changes = ["grant_type": "authorization_code", "code": code, "redirect_uri": TestTeams.callback]
        return try await ask(base, changes, client, team)
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
        try await ask(["grant_type": "refresh_token", "refresh_token": token], [:], client, team)
    }

    /// What the token endpoint answers to a client, whose proof a test may change, too.
    func ask(_ base: Changes, _ changes: Changes, _ client: ClientID, _ team: TeamID) async throws -> TokenAnswer {
        TokenAnswer(json: try await json(at: tokens, of: client, in: team, base.merging(changes) { $1 }))
    }

    func revoke(_ token: String?, _ client: ClientID = .web, in team: TeamID = .acme, _ changes: Changes = [:])
        async throws
    {
        let parameters = try parameters(of: client, in: team, ["token": token].merging(changes) { $1 })
        _ = try await respond(at: revocation, to: parameters, of: try await snapshot(team))
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
