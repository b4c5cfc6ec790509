import Core
import Crypto
import Platform
import Registry
import Testing

@testable import OAuth
@testable import TestTeams

/// The cache of verified secrets, security case V21.
@Suite struct VerifiedSecretTests {
    @Test func `V21: one secret is accepted again and again, and passing exp ends it, cache or not`() async throws {
        try await withEngine { engine in
            let team = try await engine.snapshot()
            let secret = try engine.teams.secret()
            for _ in 0..<3 { #expect(try await engine.authenticate(secret, of: team) == nil) }
            #expect(team.verifiedSecrets.count == 1)
            engine.clock.advance(by: .seconds(299))
            #expect(try await engine.authenticate(secret, of: team) == nil)
            engine.clock.advance(by: .seconds(1))
            #expect(try await engine.authenticate(secret, of: team)?.code == .invalidClient)
        }
    }

    @Test func `V21: revoking the key, like every change of the registry, empties the cache`() async throws {
        try await withEngine { engine in
            let secret = try engine.teams.secret()
            #expect(try await engine.authenticate(secret) == nil)
            _ = try await engine.database.change(in: .acme) { change in
                try await engine.teams.keys.revoke(.acme, reason: "leaked", change)
            }
            let team = try await engine.snapshot()
            #expect(team.verifiedSecrets.count == 0)
            #expect(try await engine.authenticate(secret, of: team)?.code == .invalidClient)
        }
    }

    @Test func `a known secret is good for its client alone, and in its exact spelling`() async throws {
        try await withEngine { engine in
            let team = try await engine.snapshot()
            let secret = try engine.teams.secret()
            #expect(try await engine.authenticate(secret, of: team) == nil)
            #expect(try await engine.authenticate(secret, as: .legacy, of: team)?.code == .invalidClient)
            #expect(try await engine.authenticate(secret + "=", of: team)?.code == .invalidClient)
            #expect(try await engine.authenticate(String(secret.dropLast()), of: team)?.code == .invalidClient)
        }
    }

    @Test func `a known secret does not let a client in that is switched off`() async throws {
        try await withEngine { engine in
            let secret = try engine.teams.secret()
            #expect(try await engine.authenticate(secret) == nil)
            try engine.admin("UPDATE app_ids SET is_enabled = false WHERE identifier = 'com.acme.app'")
            #expect(try await engine.authenticate(secret)?.code == .invalidClient)
        }
    }

    @Test func `a refused secret is not remembered`() async throws {
        try await withEngine { engine in
            let team = try await engine.snapshot()
            let bad = try engine.teams.secret { $0.claims["aud"] = "https://evil.example" }
            #expect(try await engine.authenticate(bad, of: team)?.code == .invalidClient)
            #expect(team.verifiedSecrets.count == 0)
        }
    }

    @Test func `the end of a lasting secret is noted, whichever endpoint has met it first`() async throws {
        try await withEngine { engine in
            let team = try await engine.snapshot()
            let end = engine.clock.now.seconds + 90 * 86_400
            let secret = try engine.teams.secret { $0.claims["exp"] = .integer(Int64(end)) }
            #expect(try await engine.authenticate(secret, of: team) == nil)
            let parameters = try ProtocolParameters([
                "client_id": ClientID.web.rawValue, "client_secret": secret, "grant_type": "refresh_token",
                "refresh_token": "unknown",
            ])
            for _ in 0..<2 {
                await #expect(throws: OAuthError.self) {
                    try await engine.respond(at: engine.tokens, to: parameters, of: team)
                }
            }
            let rows = try engine.admin("SELECT extract(epoch FROM ends_at)::bigint::text FROM client_secret_ends")
            #expect(rows == [["\(end)"]])
        }
    }

    @Test func `it holds no more than its capacity`() throws {
        let secrets = VerifiedSecrets()
        for index in 0..<(3 * VerifiedSecrets.capacity) {
            let end = try #require(NumericDate(seconds: NumericDate.range.upperBound))
            let secret = VerifiedSecrets.Secret(client: .web, keyID: .acme, expiresAt: end, isLasting: false)
            secrets.keep(secret, as: SHA256.hash("\(index)"))
            #expect(secrets.count <= VerifiedSecrets.capacity)
        }
        let last = SHA256.hash("\(3 * VerifiedSecrets.capacity - 1)")
        #expect(secrets.find(last, of: .web, at: Timestamp(seconds: 0))?.keyID == .acme)
    }
}

/// When a key was last used, as its page shows it.
@Suite struct KeyUseTests {
    private func lastUse(_ engine: Engine, _ key: KeyID = .acme, in team: TeamID = .acme) async throws -> Timestamp? {
        try await engine.teams.keys.find(key, in: team)?.lastUsedAt
    }

    @Test func `is noted when it signs an accepted client secret, a minute apart at most`() async throws {
        try await withEngine { engine in
            #expect(try await lastUse(engine) == nil)
            let token = try await engine.tokens().refreshToken
            let first = engine.clock.now
            #expect(try await lastUse(engine) == first)

            engine.clock.advance(by: .seconds(30))
            _ = try await engine.refresh(token)
            #expect(try await lastUse(engine) == first)
            engine.clock.advance(by: .seconds(30))
            _ = try await engine.refresh(token)
            #expect(try await lastUse(engine) == engine.clock.now)

            #expect(try await lastUse(engine, .acmeOther) == nil)
            #expect(try await lastUse(engine, .rival, in: .rival) == nil)
        }
    }
}
