import Bytes
import Domain
import Testing

@testable import TestTeams

@Suite struct `The age of a refresh token` {
    @Test func `V29: is that of its code, so that a revocation in between ends it`() async throws {
        try await withEngine { engine in
            let start = engine.clock.now
            let code = try await engine.code()
            engine.clock.advance(by: .seconds(60))
            #expect(try await engine.refusal(redeeming: code) == nil)
            let made = "SELECT FROM refresh_tokens WHERE created_at = $1::timestamptz AND last_used_at > created_at"
            #expect(try engine.teams.admin(made, start.precise).count == 1)
        }
    }
}
