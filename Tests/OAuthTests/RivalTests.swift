import Core
import Platform
import Testing

@testable import Accounts
@testable import OAuth
@testable import TestTeams

/// What is one team's, in the hands of another.
@Suite struct RivalTests {
    @Test func `V25: tokens, codes and secrets of one team are worth nothing at another`() async throws {
        try await withEngine { engine in
            let (acme, own) = (try await engine.tokens(), try await engine.clientToken())
            let rival = try await engine.tokens(for: engine.rivalAda, in: .rival)
            for token in [acme.accessToken, acme.refreshToken, own.accessToken] {
                #expect(try await engine.introspect(token)["active"] == true)
                #expect(try await engine.introspect(token, in: .rival) == ["active": false])
            }
            #expect(AccessToken(acme.accessToken, of: try await engine.snapshot(.rival)) == nil)
            #expect(try await engine.userinfo(acme.accessToken, in: .rival) == nil)
            #expect(try await !engine.isAlive(acme.refreshToken, in: .rival))
            #expect(try await !engine.isAlive(rival.refreshToken))

            let code = try await engine.code(for: engine.rivalAda, in: .rival)
            #expect(try await engine.refusal(redeeming: code)?.code == .invalidGrant)
            #expect(try await engine.refusal(redeeming: code, in: .rival) == nil)

            // Rival has a client of that name, too.
            let secret = try engine.teams.secret(of: .web, in: .rival)
            #expect(try await engine.authenticate(secret, in: .rival) == nil)
            #expect(try await engine.authenticate(secret)?.code == .invalidClient)
        }
    }

    @Test func `V28: consents, cut-offs, traces and people of one team are out of reach of another`() async throws {
        try await withTokens { engine, tokens in
            #expect(try await !engine.endConsent(in: .rival))
            engine.clock.advance(by: .seconds(1))
            let cutOffs = NotBeforeStore(engine.database)
            for scope in [NotBeforeScope.team, .client(.web)] {
                try await cutOffs.set(
                    scope, to: engine.clock.now, reason: "leaked", in: .rival, by: .member(engine.ada), from: .test)
            }
            #expect(try await engine.isAlive(tokens.refreshToken))
            #expect(try await cutOffs.list(in: .acme).isEmpty)

            await engine.traces.finish()
            let trace = try #require(try await engine.page().items.first)
            let list = TraceListStore(engine.database)
            let page = try await list.page(in: .rival, limit: 10, at: engine.clock.now)
            #expect(page.items.isEmpty && page.total == 0)
            #expect(try await TraceDetailStore(engine.database).find(trace.id, in: .rival) == nil)
            #expect(try await list.find(trace.id.rawValue, in: .rival, at: engine.clock.now) == nil)

            let export = try await PersonExportStore(engine.database).begin(
                engine.ada, in: .rival, for: .team, by: .person(engine.ada), from: .test)
            #expect(export == nil)
            #expect(try !engine.actions().contains("user.exported"))
        }
    }
}
