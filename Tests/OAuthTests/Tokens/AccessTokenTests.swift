import Bytes
import Crypto
import Domain
import Testing

@testable import OAuth
@testable import TestTeams

@Suite struct AccessTokenTests {
    @Test func `S26: refreshes within one second give different access tokens, as clients' own do`() async throws {
        try await withEngine { engine in
            let first = try await engine.tokens()
            var seen: Set<String> = [first.accessToken]
            for _ in 0..<3 {
                let next = try await engine.refresh(first.refreshToken).accessToken
                #expect(seen.insert(next).inserted)
                #expect(try await engine.introspect(next)["active"] == true)
            }
            var own: Set<String> = []
            for _ in 0..<3 { #expect(own.insert(try await engine.clientToken().accessToken).inserted) }
        }
    }

    @Test func `a token that version 0.1 issued is good until it ends`() async throws {
        try await withEngine { engine in
            let team = try await engine.snapshot()
            let end = (engine.clock.now + .seconds(60)).seconds
            let octets: [UInt8] = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: end >> $0) }
            let text = team.accessTokens.mint(payload: [1] + (1...16) + octets)
            let token = try #require(AccessToken(text, of: team))
            #expect(token.expiresAt.seconds == end && token.refreshTokenID == Array(1...16))
        }
    }
}
