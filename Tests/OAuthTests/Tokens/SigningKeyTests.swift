import Core
import Crypto
import Platform
import Testing

@testable import OAuth
@testable import Registry
@testable import TestTeams

/// Which key signs, and which are published.
@Suite struct SigningKeyTests {
    private static let start = Timestamp(seconds: 1_800_000_000)

    private func key(_ kid: String, from: Int, until: Int? = nil) -> TeamSigningKey {
        TeamSigningKey(
            kid: kid, privateKey: TestKeys.signing, activeFrom: Self.start + .seconds(from),
            retiresAt: until.map { Self.start + .seconds($0) })
    }

    private func team(_ keys: [TeamSigningKey]) throws -> TeamSnapshot {
        let ring = KeyRing(current: try MasterKey(id: "test", secret: Array(1...32)))
        let name = try #require(TeamName(rawValue: "Acme"))
        let team = Team(
            id: .acme, settings: TeamSettings(name: name, mode: .production), isSystem: false, version: 1,
            createdAt: Self.start, deletionDueAt: nil, closedAt: nil, deletedAt: nil)
        return TeamSnapshot(
            team, version: 1, signingKeys: keys, accessTokens: AccessToken.authentication(of: .acme, keyRing: ring))
    }

    @Test func `the newest active key signs, and one that is to come is published before`() throws {
        let team = try team([key("old", from: 0, until: 200), key("new", from: 100), key("next", from: 300)])
        func signer(at offset: Int) -> String? { team.signingKey(at: Self.start + .seconds(offset))?.kid }
        // As seen by a node whose clock is behind that of the one that made the key.
        #expect(signer(at: -1) == "old")
        #expect(try published(team, at: -1) == ["old", "new", "next"])
        #expect(team.signingKeys.map { $0.state(at: Self.start - .seconds(1), in: team) } == [.signing, .next, .next])
        #expect([0, 99, 100, 199, 299, 300].map(signer) == ["old", "old", "new", "new", "new", "next"])
        #expect(try published(team, at: 0) == ["old", "new", "next"])
        #expect(try published(team, at: 100) == ["new", "old", "next"])
        #expect(try published(team, at: 300) == ["next", "old", "new"])
    }

    @Test func `a retired key is published until its last token has expired`() throws {
        let team = try team([key("old", from: 0, until: 200), key("new", from: 100)])
        #expect(try published(team, at: 200 + 86_399) == ["new", "old"])
        #expect(try published(team, at: 200 + 86_400) == ["new"])
    }

    @Test func `a provider's RSA keys follow those of the team, none of which they replace`() throws {
        let team = try team([key("old", from: 0, until: 200), key("new", from: 100)])
        let provider = ["old", "apple", "other"].map { JWK(.rsa(TestKeys.extra.publicKey), keyID: $0) }
        let set = try JWKSet(
            json: team.keySet(
                at: Self.start + .seconds(150), with: provider + [JWK(.p256(TestKeys.acme.publicKey), keyID: "curve")]))
        #expect(set.keys.map(\.keyID) == ["new", "old", "apple", "other"])
        guard case .rsa(let old) = set.keys[1].key else { throw TestFailure("no RSA key") }
        #expect(old.modulus == TestKeys.signing.publicKey.modulus)
    }

    @Test func `P11: the set holds RSA keys for RS256 and nothing private`() async throws {
        try await withEngine { engine in
            let bytes = try await engine.snapshot().keySet(at: engine.clock.now)
            let json = try JSON.decode(JSONValue.self, from: bytes)
            guard case .array(let keys)? = json["keys"], case .object(let key)? = keys.first else {
                throw TestFailure("no keys")
            }
            #expect(keys.count == 1)
            #expect(key.keys.sorted() == ["alg", "e", "kid", "kty", "n", "use"])
            #expect(key["kty"] == "RSA" && key["use"] == "sig" && key["alg"] == "RS256" && key["e"] == "AQAB")
            let modulus = try #require(key["n"]?.string)
            #expect(Base64URL.decode(modulus)?.count == 256)
        }
    }

    @Test func `a key of the near future signs where there is no other, and without it nothing is used`() async throws {
        try await withEngine { engine in
            let earlier = try await engine.tokens()
            let (code, next) = (try await engine.code(), try await engine.code())
            try engine.admin("UPDATE signing_keys SET active_from = active_from + interval '10 years'")
            let answer = try await engine.redeem(code)
            #expect(try await engine.claims(answer.idToken).string("sub") == engine.ada.rawValue)

            try engine.admin("UPDATE signing_keys SET active_from = '2000-01-01', retires_at = '2001-01-01'")
            for _ in 0..<2 {
                await #expect(throws: NoSigningKey.self) { try await engine.redeem(next) }
                await #expect(throws: NoSigningKey.self) { try await engine.refresh(earlier.refreshToken) }
                await #expect(throws: NoSigningKey.self) { try await engine.code() }
            }
            try engine.admin("UPDATE signing_keys SET retires_at = NULL")
            #expect(try await !engine.redeem(next).idToken.isEmpty)
        }
    }

    @Test func `V57: a stored key the master key does not open stops the team: nobody signs without`() async throws {
        try await withEngine { engine in
            try engine.admin("UPDATE signing_keys SET kid = 'other' WHERE team_id = 'ACMETEAM01'")
            await #expect(throws: SealedKeyFailure.self) { try await engine.snapshot() }
        }
    }

    private func published(_ team: TeamSnapshot, at offset: Int) throws -> [String?] {
        try JWKSet(json: team.keySet(at: Self.start + .seconds(offset))).keys.map(\.keyID)
    }
}
