import Bytes
import Directory
import Domain
import OAuth
import Testing

@testable import TestTeams

/// OpenID Connect Core section 5.3.
@Suite struct UserinfoTests {
    @Test func `it tells what the consent shares today, the name as it was edited included`() async throws {
        try await withEngine { engine in
            let token = try await engine.tokens().accessToken
            let expected: JSONValue = [
                "sub": .string(engine.ada.rawValue), "name": "Ada King", "given_name": "Ada", "family_name": "King",
                "email": "ada@acme.example", "email_verified": true,
            ]
            #expect(try await engine.userinfo(token) == expected)
            try engine.teams.admin("UPDATE users SET email = 'ada@new.example' WHERE sub = $1", engine.ada.rawValue)
            #expect(try await engine.userinfo(token)?["email"] == "ada@new.example")
        }
    }

    @Test func `what was not shared is not told, and a hidden address is the relay's`() async throws {
        try await withEngine { engine in
            let bare = try await engine.tokens(for: engine.teams.people.ben, at: .web, [:])
            #expect(try await engine.userinfo(bare.accessToken) == ["sub": .string(engine.teams.people.ben.rawValue)])
            let answer = try await engine.signIn(to: .legacy, Engine.fullRequest, email: .hidden)
            let tokens = try await engine.redeem(try #require(answer["code"]), .legacy)
            let info = try #require(try await engine.userinfo(tokens.accessToken))
            #expect(info["email"]?.string?.hasSuffix("@relay.example") == true)
            #expect(info["is_private_email"] == "true" && info["email_verified"] == "true")
        }
    }

    @Test func `only an access token that is alive opens it`() async throws {
        try await withEngine { engine in
            let tokens = try await engine.tokens()
            let own = try await engine.clientToken().accessToken
            for text in [tokens.refreshToken, tokens.idToken, own, "garbage", ""] {
                #expect(try await engine.userinfo(text) == nil, "\(text)")
            }
            #expect(try await engine.userinfo(tokens.accessToken) != nil)
            try await engine.signOut(engine.ada.rawValue)
            #expect(try await engine.userinfo(tokens.accessToken) == nil)

            let again = try await engine.tokens().accessToken
            engine.clock.advance(by: .seconds(3600))
            #expect(try await engine.userinfo(again) == nil)
        }
    }

    @Test func `V25: Acme's access token opens nothing at Rival`() async throws {
        try await withEngine { engine in
            let token = try await engine.tokens().accessToken
            #expect(try await engine.userinfo(token, in: .rival) == nil)
        }
    }
}
