import Bytes
import Domain
import Registry
import Testing

@testable import TestTeams

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
