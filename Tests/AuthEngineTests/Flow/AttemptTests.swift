import Domain
import Testing

@testable import AuthEngine
@testable import TestTeams

/// A sign-in as it begins.
@Suite struct AttemptTests {
    @Test func `what a sign-in begins with is what is stored`() async throws {
        try await withEngine { engine in
            let everything: Changes = [
                "state": "s", "nonce": "n", "code_challenge": String(repeating: "A", count: 43),
                "code_challenge_method": "S256",
                "login_hint": "ada@acme.example",
            ]
            for begun in [
                try await begin(engine, Engine.fullRequest.merging(everything) { $1 }),
                try await begin(engine, [:]),
                try await engine.flow.begin(
                    next: "/t/ACMETEAM01/account",
                    browserHash: Engine.browser,
                    in: .acme
                ),
            ] {
                let found = try await engine.flow.find(begun.id, browserHash: Engine.browser, in: .acme)
                #expect(String(reflecting: try #require(found)) == String(reflecting: begun))
            }
        }
    }

    @Test func `an attempt lasts a quarter of an hour`() async throws {
        try await withEngine { engine in
            let attempt = try await begin(engine, [:])
            engine.clock.advance(by: .seconds(900) - .microseconds(1))
            #expect(try await engine.flow.find(attempt.id, browserHash: Engine.browser, in: .acme) != nil)
            engine.clock.advance(by: .microseconds(1))
            #expect(try await engine.flow.find(attempt.id, browserHash: Engine.browser, in: .acme) == nil)
        }
    }

    private func begin(_ engine: Engine, _ changes: Changes) async throws -> Attempt {
        try await engine.flow.begin(
            try await engine.authorize(.web, changes),
            browserHash: Engine.browser,
            in: .acme,
            from: TestTeams.origin
        )
    }
}
