import Crypto
import Domain
import Federation
import OAuth
import Testing

@testable import TestTeams

/// A consent ended by the person or the team.
@Suite struct ConsentEndTests {
    private func end(_ engine: Engine, _ primaryAppID: ClientID = .app, in team: TeamID = .acme) async throws -> Bool {
        try await AuthorizationEndStore(engine.teams.database).endConsent(
            of: engine.ada, for: primaryAppID, in: team, by: .person(engine.ada), from: TestTeams.origin)
    }

    @Test func `codes and refresh tokens of the group end with it, and the sub stays`() async throws {
        try await withEngine { engine in
            let tokens = try await engine.tokens()
            let other = try await engine.tokens(at: .otherWeb)
            let code = try await engine.code()

            #expect(try await end(engine))

            #expect(try await !engine.isAlive(tokens.refreshToken))
            #expect(try await engine.isAlive(other.refreshToken, .otherWeb))
            #expect(try await engine.refusal(redeeming: code)?.code == .invalidGrant)
            #expect(try engine.teams.actions().last == "consent.ended")
            #expect(try await engine.claims(try await engine.tokens().idToken).string("sub") == engine.ada.rawValue)
        }
    }

    @Test func `what never was ends without a trace, and nothing ends twice`() async throws {
        try await withEngine { engine in
            #expect(try await !end(engine))
            _ = try await engine.tokens()
            #expect(try await end(engine))
            #expect(try await !end(engine))
            #expect(try engine.teams.actions().count { $0 == "consent.ended" } == 1)
        }
    }

    @Test func `Rival cannot end Acme's`() async throws {
        try await withEngine { engine in
            let tokens = try await engine.tokens()
            #expect(try await !end(engine, in: .rival))
            #expect(try await engine.isAlive(tokens.refreshToken))
        }
    }

    @Test func `of twenty ends at once one leaves an event`() async throws {
        try await withEngine { engine in
            _ = try await engine.tokens()
            let ends = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 { group.addTask { try await end(engine) } }
                return try await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(ends.count { $0 } == 1)
            #expect(try engine.teams.actions().count { $0 == "consent.ended" } == 1)
        }
    }
}
