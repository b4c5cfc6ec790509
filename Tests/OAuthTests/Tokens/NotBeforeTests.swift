import Core
import Platform
import Testing

@testable import OAuth
@testable import TestTeams

/// Security case V29: the strictest of the team's, the client's and the person's cut-offs wins.
@Suite struct NotBeforeTests {
    private func cut(
        _ engine: Engine, _ notBefore: NotBeforeScope, at moment: Timestamp? = nil, in team: TeamID = .acme
    ) async throws {
        try await NotBeforeStore(engine.database).set(
            notBefore, to: moment ?? engine.clock.now, reason: "a backup was stolen", in: team, by: .member(engine.ada),
            from: .test)
    }

    /// Whether each place that takes a token still takes these.
    private func isAlive(_ tokens: TokenAnswer, _ client: ClientID = .web, at engine: Engine) async throws -> Bool {
        let answers = [
            try await engine.isAlive(tokens.refreshToken, client), try await engine.userinfo(tokens.accessToken) != nil,
            try await engine.introspect(tokens.accessToken, by: client)["active"] == true,
            try await engine.introspect(tokens.refreshToken, by: client)["active"] == true,
        ]
        #expect(Set(answers).count == 1, "every place says the same: \(answers)")
        return answers[0]
    }

    @Test func `V29: a client's cut-off ends its tokens alone, the team's ends all, whichever is first`() async throws {
        try await withEngine { engine in
            let start = engine.clock.now
            let web = try await engine.tokens()
            let other = try await engine.tokens(at: .otherWeb)
            engine.clock.advance(by: .seconds(10))
            try await cut(engine, .client(.web))
            #expect(try await !isAlive(web, at: engine))
            #expect(try await isAlive(other, .otherWeb, at: engine))

            // A cut-off of the team that lies further back does not bring the client's tokens back.
            try await cut(engine, .team, at: start)
            #expect(try await !isAlive(web, at: engine))
            #expect(try await isAlive(other, .otherWeb, at: engine))

            // Nor does the client's keep the team's from counting.
            try await cut(engine, .client(.otherWeb), at: start)
            try await cut(engine, .team)
            #expect(try await !isAlive(other, .otherWeb, at: engine))
            let later = try await engine.tokens()
            #expect(try await isAlive(later, at: engine))
            try await engine.signOut(engine.ada.rawValue)
            #expect(try await !isAlive(later, at: engine))
        }
    }

    @Test func `V29: a cut-off never moves back`() async throws {
        try await withTokens { engine, tokens in
            let start = engine.clock.now
            engine.clock.advance(by: .seconds(10))
            try await cut(engine, .team)
            try await cut(engine, .team, at: start - .seconds(60))
            #expect(try await !engine.isAlive(tokens.refreshToken))
            let records = try await NotBeforeStore(engine.database).list(in: .acme)
            #expect(records.map(\.scope) == [.team] && records.map(\.moment) == [engine.clock.now])
        }
    }

    @Test func `V29: codes and tokens of clients that were issued before are dead too`() async throws {
        try await withEngine { engine in
            let code = try await engine.code()
            let token = try await engine.clientToken().accessToken
            engine.clock.advance(by: .seconds(1))
            try await cut(engine, .client(.web))
            #expect(try await engine.refusal(redeeming: code)?.code == .invalidGrant)
            #expect(try await engine.introspect(token) == ["active": false])
            let later = try await engine.code()
            #expect(try await engine.refusal(redeeming: later) == nil)
            #expect(try await engine.introspect(try await engine.clientToken().accessToken)["active"] == true)
        }
    }
}

@Suite struct `The age of a refresh token` {
    @Test func `V29: is that of its code, so that a revocation in between ends it`() async throws {
        try await withEngine { engine in
            let start = engine.clock.now
            let code = try await engine.code()
            engine.clock.advance(by: .seconds(60))
            #expect(try await engine.refusal(redeeming: code) == nil)
            let made = "SELECT FROM refresh_tokens WHERE created_at = $1::timestamptz AND last_used_at > created_at"
            #expect(try engine.admin(made, start.precise).count == 1)
        }
    }
}
