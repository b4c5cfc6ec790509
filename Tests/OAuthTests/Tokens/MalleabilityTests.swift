import Core
import Crypto
import Platform
import TestSupport
import Testing

@testable import OAuth
@testable import TestTeams

/// Security case V30: any token with a bit turned, an octet missing or one more is dead.
@Suite struct MalleabilityTests {
    /// What is nearly `token`, as far as it is UTF-8: nothing else gets as far as this.
    private func variants(of token: String) -> [String] {
        let bytes = Array(token.utf8)
        var variants = bytes.spoilt(bits: 1)
        for extra in ["=", " ", "\n", ".", "A", "\u{0301}", "\u{200D}", "\u{FE0F}"].map({ Array($0.utf8) }) {
            variants += [bytes + extra, extra + bytes, bytes[..<1] + extra + bytes[1...]]
        }
        return variants.compactMap { String(utf8: $0) }.filter { !$0.isEmpty && !$0.utf8.elementsEqual(bytes) }
    }

    /// The answers of the token endpoint that are no refusals, to requests that differ in one parameter.
    private func accepted(_ variants: [String], as name: String, _ parameters: [String: String], _ engine: Engine)
        async throws -> [String]
    {
        let team = try await engine.snapshot()
        let own = ["client_id": "com.acme.web", "client_secret": try engine.teams.secret()]
        var accepted: [String] = []
        for variant in variants where !variant.utf8.contains(0) {
            let changes = parameters.merging([name: variant]) { $1 }
            do {
                _ = try await engine.respond(at: engine.tokens, to: try ProtocolParameters(own, changes), of: team)
                accepted.append(variant)
            } catch let error as OAuthError { #expect(error.code == .invalidGrant, "\(variant)") }
        }
        return accepted
    }

    @Test func `V30: no variant of an access token is one`() async throws {
        try await withTokens { engine, tokens in
            let team = try await engine.snapshot()
            #expect(AccessToken(tokens.accessToken, of: team) != nil)
            let living = variants(of: tokens.accessToken).filter { AccessToken($0, of: team) != nil }
            #expect(living == [])
        }
    }

    @Test func `V30: no variant of a refresh token is one`() async throws {
        try await withTokens { engine, tokens async throws in
            let request = ["grant_type": "refresh_token"]
            #expect(try await accepted(variants(of: tokens.refreshToken), as: "refresh_token", request, engine) == [])
            #expect(try await engine.isAlive(tokens.refreshToken))
        }
    }

    @Test func `V30: no variant of a code is one, and trying them all leaves it good`() async throws {
        try await withEngine { engine in
            let code = try await engine.code()
            let request = ["grant_type": "authorization_code", "redirect_uri": TestTeams.callback]
            #expect(try await accepted(variants(of: code), as: "code", request, engine) == [])
            #expect(try await engine.refusal(redeeming: code) == nil)
        }
    }

    @Test func `V30: no variant of an id_token passes its own key`() async throws {
        try await withEngine { engine in
            let token = try await engine.tokens().idToken
            let keys = try JWKSet(json: try await engine.snapshot().keySet(at: engine.clock.now))
            var living: [String] = []
            for variant in variants(of: token) {
                guard let read = try? UnverifiedJWT(variant), let kid = read.header.keyID,
                    let key = keys.key(id: kid, algorithm: .rs256), (try? read.verify(with: key)) != nil
                else { continue }
                living.append(variant)
            }
            #expect(living == [])
        }
    }
}
