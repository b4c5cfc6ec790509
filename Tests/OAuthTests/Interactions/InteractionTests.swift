import Domain
import Testing

@testable import OAuth
@testable import TestTeams

/// A sign-in as it begins.
@Suite struct InteractionTests {
    @Test func `what a sign-in begins with is what is stored`() async throws {
        try await withEngine { engine in
            let everything: Changes = [
                "state": "s", "nonce": "n", "code_challenge": String(repeating: "A", count: 43),
                "code_challenge_method": "S256", "login_hint": "ada@acme.example",
            ]
            for begun in [
                try await begin(engine, Engine.fullRequest.merging(everything) { $1 }), try await begin(engine, [:]),
                try await engine.interactions.begin(
                    next: "/t/ACMETEAM01/account", browserHash: Engine.browser, in: .acme),
            ] {
                let found = try await engine.interactions.find(begun.id, browserHash: Engine.browser, in: .acme)
                #expect(String(reflecting: try #require(found)) == String(reflecting: begun))
            }
        }
    }

    @Test func `an interaction lasts a quarter of an hour`() async throws {
        try await withEngine { engine in
            let interaction = try await begin(engine, [:])
            engine.clock.advance(by: .seconds(900) - .microseconds(1))
            #expect(try await engine.interactions.find(interaction.id, browserHash: Engine.browser, in: .acme) != nil)
            engine.clock.advance(by: .microseconds(1))
            #expect(try await engine.interactions.find(interaction.id, browserHash: Engine.browser, in: .acme) == nil)
        }
    }

    private func begin(_ engine: Engine, _ changes: Changes) async throws -> Interaction {
        try await engine.interactions.begin(
            try await engine.authorize(.web, changes), browserHash: Engine.browser, in: .acme, from: TestTeams.origin)
    }
}
