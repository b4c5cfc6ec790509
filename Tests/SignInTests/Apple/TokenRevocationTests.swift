import EventLoop
import Federation
import OAuth
import Platform
import Simulator
import Testing

@testable import TestTeams

/// A member of the team revokes what apps hold of a person.
@Suite(.apple) struct `Tokens that a team revokes` {
    private static let rita = Performer.regular.subject

    private func revokeAll(in team: TeamID = .acme) async throws -> Int {
        try await site.teams.loop.run {
            try await AuthorizationEndStore(site.teams.database).revokeAllTokens(
                of: Self.rita, in: team, by: .system("member"), from: TestTeams.origin)
        }
    }

    @Test func `S24: hand back what Apple gave, all of it`() async throws {
        let tokens = [try site.tokens(), try site.tokens()]
        #expect(try await revokeAll(in: .rival) == 0)
        #expect(try site.tokenStates() == ["live", "live"])

        #expect(try await revokeAll() == 2)
        #expect(try !site.isAlive(tokens[0]) && !site.isAlive(tokens[1]))
        #expect(try site.tokenStates() == ["ending", "ending"])
        try await site.work { try site.tokenStates() == ["revoked", "revoked"] }
        #expect(try site.count("consents", in: .appleSide) == 0)
        // They may sign in again as before.
        #expect(try site.count("consents", in: .acme) == 1)
    }

    @Test func `S24: of one by one, the last hands back what Apple gave, unless a code waits`() async throws {
        _ = try site.tokens()
        _ = try site.tokens()
        let ids = try site.admin("SELECT encode(token_id, 'hex') FROM refresh_tokens WHERE team_id = 'ACMETEAM01'")
        for (round, id) in ids.enumerated() {
            let token = try #require(id[0].flatMap(RefreshTokenID.init))
            let isRevoked = try await site.teams.loop.run {
                try await AuthorizationEndStore(site.teams.database).revokeToken(
                    token, of: Self.rita, in: .acme, by: .system("member"), from: TestTeams.origin)
            }
            let state = round == 0 ? "live" : "ending"
            #expect(try isRevoked && site.tokenStates() == [state, state])
        }
    }

    @Test func `S24, V54: see the token of a code that was being issued and redeemed`() async throws {
        let token = try site.tokens()
        let count = try await site.teams.hold(
            Self.rita.rawValue, while: { Task { try await revokeAll() } },
            then: [
                (
                    """
                    INSERT INTO refresh_tokens (
                        team_id, token_id, sub, app_id, client_id, authenticated_at, created_at, last_used_at
                    )
                    SELECT team_id, '\\x00', sub, app_id, client_id, authenticated_at, created_at, last_used_at
                    FROM refresh_tokens WHERE team_id = 'ACMETEAM01'
                    """, []
                )
            ])
        #expect(try await count.value == 2)
        #expect(try !site.isAlive(token))
    }
}
