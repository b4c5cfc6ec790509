import Directory
import Domain
import Testing

@testable import OAuth
@testable import TestTeams

/// Sessions that ended after they were read, and proofs that became another person's.
@Suite struct EndedSessionTests {
    @Test(arguments: [false, true]) func `V54: a session that ended after it was read gives an app no code`(
        isKnown: Bool
    ) async throws {
        try await withEngine { engine in
            if isKnown { _ = try await engine.signIn() }
            let session = try await engine.session(of: engine.ada)
            let interaction = try await Self.begin(engine)
            // As another request of hers does while this one is on its way.
            try await engine.teams.sessions.endAll(
                of: engine.ada, in: .acme, by: .person(engine.ada), from: TestTeams.origin)
            #expect(try await Self.answer(interaction, session, engine) == nil)
            let codes = "SELECT FROM authorization_codes WHERE redeemed_at IS NULL"
            #expect(try engine.teams.admin(codes).isEmpty != isKnown)
            // Signed in once more she goes on where she was.
            let next = try await engine.session(of: engine.ada)
            #expect(try await Self.answer(interaction, next, engine) != nil)
        }
    }

    @Test func `V54: proofs that are another person's by now make no session of the one they were read of`()
        async throws
    {
        try await withEngine { engine in
            let interaction = try await engine.interactions.begin(next: "/x", browserHash: Engine.browser, in: .acme)
            let ada = try #require(try await UserStore(engine.teams.database).find(engine.ada, in: .acme))
            let isKept = try await engine.interactions.prove(
                ada, by: .password, login: "", owing: .nothing, in: interaction, browserHash: Engine.browser, of: .acme)
            #expect(isKept)
            let beginning = SessionStore.Beginning(
                of: engine.teams.people.ben, by: [.password], to: nil, from: TestTeams.origin, replacing: nil,
                at: engine.clock.now)
            let hash = Engine.browser
            let token = try await engine.interactions.enter(interaction, browserHash: hash, of: .acme) { proofs in
                try await engine.teams.sessions.begin(beginning, taking: proofs, in: .acme)
            }
            #expect(token == nil)
            #expect(try engine.teams.admin("SELECT FROM sessions").isEmpty)
        }
    }

    private static func begin(_ engine: Engine) async throws -> Interaction {
        try await engine.interactions.begin(
            try await engine.authorize(), browserHash: Engine.browser, in: .acme, from: TestTeams.origin)
    }

    /// What the app gets of the sheet, or of the page that stands in its place later.
    private static func answer(_ interaction: Interaction, _ session: Session, _ engine: Engine) async throws -> String?
    {
        let (team, hash) = (try await engine.snapshot(), Engine.browser)
        guard
            case .confirmation(let consent) = try await engine.interactions.nextStep(
                of: interaction, session, in: .acme)
        else {
            return try await engine.interactions.consent(
                to: interaction, ConsentChoice(name: nil, email: .withheld), of: session, browserHash: hash, in: team,
                from: TestTeams.origin)?["code"]
        }
        return try await engine.interactions.confirm(
            interaction, under: consent, of: session, browserHash: hash, in: team, from: TestTeams.origin)?["code"]
    }
}
