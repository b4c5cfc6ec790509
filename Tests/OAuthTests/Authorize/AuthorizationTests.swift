import Core
import Platform
import Testing

@testable import OAuth
@testable import TestTeams

/// The judgement as a whole, for registered clients.
@Suite struct AuthorizationTests {
    @Test func `a request that keeps every rule is taken as it was meant`() async throws {
        try await withEngine { engine in
            let request = try await engine.authorize(.web, Engine.fullRequest)
            #expect(request.clientID == .web)
            #expect(request.primaryAppID == .app)
            #expect(request.redirectURI == TestTeams.callback)
            #expect(request.responseType == .code)
            #expect(request.responseMode == .formPost)
            #expect(request.scope == AuthorizationRequest.Scope(name: true, email: true))
            #expect(request.state == "state-1" && request.nonce == "nonce-1")
            #expect(request.codeChallenge == nil && request.testSignIn == nil)
        }
    }

    @Test func `without a response mode a code goes by query and a token by fragment`() async throws {
        try await withEngine { engine in
            let code = try await engine.authorize()
            #expect(code.responseMode == .query)
            let both = try await engine.authorize(.web, ["response_type": "code id_token"])
            #expect(both.responseMode == .fragment)
        }
    }

    @Test func `P9: a space in a scope may come as a plus or as %20, and openid means nothing`() async throws {
        try await withEngine { engine in
            let team = try await engine.snapshot()
            for coded in ["name+email", "name%20email", "openid+name%20email", "email+openid+name"] {
                let query =
                    "client_id=com.acme.web&redirect_uri=https%3A%2F%2Facme.example%2Fcallback"
                    + "&response_type=code&response_mode=form_post&scope=\(coded)"
                let fields = try FormCoding.decode(Array(query.utf8))
                let request = try await engine.authorization.judge(
                    try ProtocolParameters(fields), to: team, at: engine.clock.now)
                #expect(request.scope == AuthorizationRequest.Scope(name: true, email: true), "\(coded)")
            }
        }
    }

    @Test func `P9: a client that is unknown, written otherwise, or another team's goes nowhere`() async throws {
        try await withEngine { engine in
            let ids = [
                "com.acme.nobody", "com.acme.Web", "COM.ACME.WEB", "com.acme.web ", "com.rival.app", "web", "",
                "ACMETEAM01.com.acme.web", "com.acme.web\u{0301}",
            ]
            for id in ids {
                let refusal = await #expect(throws: AuthorizationRefusal.self, "\(id)") {
                    try await engine.authorize(.web, ["client_id": id])
                }
                #expect(refusal?.error == (id.isEmpty ? .invalidRequest : .invalidClient), "\(id)")
                #expect(refusal?.hint == nil)
            }
        }
    }

    @Test func `an App ID has no return URL, so the web cannot sign in as it`() async throws {
        try await withEngine { engine in
            await #expect(throws: AuthorizationRefusal.self) { try await engine.authorize(.app) }
        }
    }

    @Test func `a Service ID that requires PKCE is refused without a challenge`() async throws {
        try await withEngine { engine in
            await #expect(throws: AuthorizationRefusal.self) { try await engine.authorize(.strict) }
            let changes: Changes = [
                "code_challenge": AuthorizationRuleTests.challenge, "code_challenge_method": "S256",
            ]
            let request = try await engine.authorize(.strict, changes)
            #expect(request.codeChallenge == AuthorizationRuleTests.challenge)
        }
    }

    @Test func `in a strict team a return URL works on a verified domain only`() async throws {
        try await withEngine { engine in
            _ = try await engine.authorize()
            try engine.requireVerifiedDomains()
            let refusal = await #expect(throws: AuthorizationRefusal.self) { try await engine.authorize() }
            #expect(refusal?.error == .invalidRequest)
            #expect(refusal?.reason.contains("is on no verified domain") == true)
            #expect(refusal?.hint?.contains("verify the domain") == true)

            // The other team's proof is none.
            let verify = "UPDATE domains SET is_verified = true WHERE team_id = $1 AND domain = 'acme.example'"
            try engine.admin(
                "INSERT INTO domains (team_id, domain) VALUES ('RIVALTEAM1', 'acme.example') ON CONFLICT DO NOTHING")
            try engine.admin(verify, "RIVALTEAM1")
            await #expect(throws: AuthorizationRefusal.self) { try await engine.authorize() }

            try engine.admin(verify, "ACMETEAM01")
            let request = try await engine.authorize()
            #expect(request.redirectURI == TestTeams.callback)
        }
    }

    @Test func `V1: a return URL that only looks like a test sign-in's is not registered`() async throws {
        try await withEngine { engine in
            let id = String(repeating: "A", count: 22)
            for url in [
                "\(TestTeams.publicURL)/console/teams/ACMETEAM01/test-sign-ins/\(id)/callback",
                "https://evil.example/test-sign-ins/\(id)/callback",
            ] {
                let refusal = await #expect(throws: AuthorizationRefusal.self) {
                    try await engine.authorize(.web, ["redirect_uri": url])
                }
                #expect(refusal?.error == .invalidRequest)
            }
        }
    }
}
