import Core
import Crypto
import Directory
import Platform
import Testing

@testable import OAuth
@testable import TestTeams

/// The id_token's shape and claims, points P4 to P6 of the conformance list.
@Suite struct IDTokenTests {
    @Test func `P4: the header is kid and alg, nothing else`() async throws {
        try await withEngine { engine in
            let text = try await engine.tokens().idToken
            let head = try #require(text.split(separator: ".").first.flatMap { Base64URL.decode(String($0)) })
            let kid = try #require(try await engine.snapshot().signingKey(at: engine.clock.now)).kid
            #expect(String(decoding: head, as: UTF8.self) == #"{"kid":"\#(kid)","alg":"RS256"}"#)
            #expect(kid.utf8.count == 10)
        }
    }

    @Test func `P5: the token endpoint's token claims exactly what Apple's does`() async throws {
        try await withEngine { engine in
            let now = Int64(engine.clock.now.seconds)
            let answer = try await engine.tokens()
            let claims = try await engine.claims(answer.idToken)
            let expected: [String: JSONValue] = [
                "iss": "https://pippin.example/t/ACMETEAM01", "aud": "com.acme.web", "exp": .integer(now + 600),
                "iat": .integer(now - 10), "sub": .string(engine.ada.rawValue), "nonce": "nonce-1",
                "at_hash": .string(TokenHash.of(answer.accessToken)), "email": "ada@acme.example",
                "email_verified": true, "auth_time": .integer(now - 10), "nonce_supported": true,
            ]
            #expect(claims.members == expected)
        }
    }

    @Test func `P8: a token says of the address what the person chose, as JSON booleans`() async throws {
        try await withEngine { engine in
            let answer = try await engine.signIn(to: .web, Engine.fullRequest, email: .hidden)
            let claims = try await engine.claims(try await engine.redeem(try #require(answer["code"])).idToken)
            let address = try claims.string("email")
            #expect(address.hasSuffix("@relay.example") && address != "ada@acme.example")
            #expect(claims.members["is_private_email"] == true)
            #expect(claims.members["email_verified"] == true)

            let user = try JSON.decode(JSONValue.self, from: Array(try #require(answer["user"]).utf8))
            #expect(user["email"]?.string == address)
        }
    }

    @Test func `P4, P6: a client may have booleans in quotes and Apple's issuer`() async throws {
        try await withEngine { engine in
            let answer = try await engine.signIn(to: .legacy, Engine.fullRequest, email: .hidden)
            let code = try #require(answer["code"])
            let claims = try await engine.claims(try await engine.redeem(code, .legacy).idToken)
            #expect(claims.members["iss"] == "https://appleid.apple.com")
            #expect(claims.members["email_verified"] == "true")
            #expect(claims.members["is_private_email"] == "true")
            #expect(claims.members["nonce_supported"] == true)
        }
    }

    @Test func `without the email scope the token holds no address, and without a nonce none`() async throws {
        try await withEngine { engine in
            let claims = try await engine.claims(try await engine.tokens(at: .web, [:]).idToken)
            #expect(
                claims.members.keys.sorted() == [
                    "at_hash", "aud", "auth_time", "exp", "iat", "iss", "nonce_supported", "sub",
                ])
        }
    }

    @Test func `P5: the front channel's token is bound to its code, and sent only when asked for`() async throws {
        try await withEngine { engine in
            let plain = try await engine.signIn(to: .web, Engine.fullRequest)
            #expect(plain["id_token"] == nil)

            let changes = Engine.fullRequest.merging(["response_type": "code id_token"]) { $1 }
            let answer = try await engine.signIn(to: .web, changes)
            let claims = try await engine.claims(try #require(answer["id_token"]))
            #expect(claims.members["c_hash"] == .string(TokenHash.of(try #require(answer["code"]))))
            #expect(claims.members["at_hash"] == nil)
            #expect(claims.members["nonce"] == "nonce-1")
            #expect(claims.members["email"] == "ada@acme.example")
        }
    }

    @Test func `P5: a nonce is echoed as it came, whatever it is made of`() async throws {
        try await withEngine { engine in
            for nonce in ["a.b|c\"d\\e", "5f3c…ü\u{1F34F}", " ", "\u{0001}\n", "</script>"] {
                let answer = try await engine.tokens(at: .web, ["nonce": nonce])
                #expect(try await engine.claims(answer.idToken).string("nonce") == nonce)
            }
        }
    }

    @Test func `sub is one in all apps of the team, and another team's is another`() async throws {
        try await withEngine { engine in
            var subjects: Set<String> = []
            for client in [ClientID.web, .sisterWeb, .otherWeb] {
                subjects.insert(try await engine.claims(try await engine.tokens(at: client).idToken).string("sub"))
            }
            #expect(subjects == [engine.ada.rawValue])
            let person = engine.rivalAda
            let rival = try await engine.tokens(for: person, at: .web, in: .rival)
            let claims = try await engine.claims(rival.idToken, in: .rival)
            #expect(try claims.string("sub") == person.rawValue && person != engine.ada)
            #expect(claims.members["iss"] == "https://pippin.example/t/RIVALTEAM1")
        }
    }

    @Test func `auth_time is the moment of the password, however old the session is`() async throws {
        try await withEngine { engine in
            let session = try await engine.session(of: engine.ada)
            let proved = Int64(engine.clock.now.seconds)
            engine.clock.advance(by: .seconds(86_400))
            let answer = try await engine.answer(try await engine.begin(), of: session)
            let tokens = try await engine.redeem(try #require(answer?["code"]))
            #expect(try await engine.claims(tokens.idToken).integer("auth_time") == proved)
            engine.clock.advance(by: .seconds(86_400))
            let refreshed = try await engine.refresh(tokens.refreshToken)
            #expect(try await engine.claims(refreshed.idToken).integer("auth_time") == proved)
        }
    }

    @Test func `P7: the answer is Apple's: Bearer, 3600 as a number, and the three tokens`() async throws {
        try await withEngine { engine in
            let json = try await engine.tokens().json
            #expect(json["token_type"] == "Bearer")
            #expect(json["expires_in"] == 3600)
            guard case .object(let members) = json else { throw TestFailure("no object") }
            #expect(members.keys.sorted() == ["access_token", "expires_in", "id_token", "refresh_token", "token_type"])
        }
    }
}
