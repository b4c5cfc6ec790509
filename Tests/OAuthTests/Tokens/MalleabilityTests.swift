import Bytes
import Crypto
import Domain
import Testing

@testable import OAuth
@testable import TestTeams

/// Security case V30: any token with a bit turned, an octet missing or one more is dead.
@Suite struct MalleabilityTests {
    /// Every text that one turned bit, a cut at either end or a doubled octet makes of `token`.
    private func variants(of token: String) -> [String] {
        let bytes = Array(token.utf8)
        var variants: [[UInt8]] = []
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                variants.append(changed)
            }
            variants.append(Array(bytes[..<index]))
            variants.append(Array(bytes[(index + 1)...]))
            variants.append(Array(bytes[...index] + bytes[index...]))
        }
        for extra in ["=", " ", "\n", ".", "A", "\u{0301}", "\u{200D}", "\u{FE0F}"] {
            variants.append(bytes + Array(extra.utf8))
            variants.append(Array(extra.utf8) + bytes)
            variants.append(bytes[..<1] + Array(extra.utf8) + bytes[1...])
        }
        // Turning the eighth bit leaves no UTF-8, which does not get as far as this.
        return variants.compactMap { String(utf8: $0) }.filter { !$0.isEmpty && !$0.utf8.elementsEqual(bytes) }
    }

    @Test func `V30: no variant of an access token is one`() async throws {
        try await withEngine { engine in
            let token = try await engine.tokens().accessToken
            let team = try await engine.snapshot()
            #expect(AccessToken(token, of: team) != nil)
            let living = variants(of: token).filter { AccessToken($0, of: team) != nil }
            #expect(living == [])
        }
    }

    @Test func `V30: no variant of a refresh token is one`() async throws {
        try await withEngine { engine in
            let token = try await engine.tokens().refreshToken
            var living: [String] = []
            for variant in variants(of: token) where !variant.utf8.contains(0) {
                if try await engine.isAlive(variant) { living.append(variant) }
            }
            #expect(living == [])
            #expect(try await engine.isAlive(token))
        }
    }

    @Test func `V30: no variant of a code is one, and trying them all leaves it good`() async throws {
        try await withEngine { engine in
            let code = try await engine.code()
            var living: [String] = []
            for variant in variants(of: code) where !variant.utf8.contains(0) {
                let error = try await engine.refusal(redeeming: variant)
                if error?.code != .invalidGrant { living.append(variant) }
            }
            #expect(living == [])
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

    @Test func `V25: one team's access token is another's garbage`() async throws {
        try await withEngine { engine in
            let token = try await engine.tokens().accessToken
            #expect(AccessToken(token, of: try await engine.snapshot(.rival)) == nil)
        }
    }
}
