import Bytes
import Crypto
import Domain
import Testing

@testable import Directory
@testable import OAuth
@testable import TestTeams

/// What is proved within an attempt, and when it is enough; security case V34.
@Suite struct ProofTests {
    @Test(arguments: [
        (SecondFactorDue.nothing, false, "proved"), (.nothing, true, "proved"), (.proof, false, "owes"),
        (.proof, true, "proved"), (.enrolment, false, "owes"), (.enrolment, true, "proved"),
    ]) func `a session is made of the first proof and of the second where one is owed`(
        due: SecondFactorDue, hasSecond: Bool, expected: String
    ) {
        let progress = Self.progress(due, second: hasSecond)
        // A session from before changes nothing: the proofs are another person's, or new.
        for hasSession in [false, true] { #expect(Self.word(progress.status(hasSession: hasSession)) == expected) }
    }

    @Test(arguments: [(false, false, "stranger"), (true, false, "settled"), (true, true, "stranger")])
    func `without a proof of its own a sign-in goes on with the browser's session, unless it is set aside`(
        hasSession: Bool, isAside: Bool, expected: String
    ) {
        let fresh = InteractionProgress(identity: nil, second: nil, enteredAt: nil, requiresReauthentication: isAside)
        #expect(Self.word(fresh.status(hasSession: hasSession)) == expected)
        let entered = Self.progress(.proof, second: true, entered: true, aside: isAside)
        #expect(Self.word(entered.status(hasSession: hasSession)) == expected)
    }

    @Test func `V23: proofs are kept for the browser that began, in its team, while the interaction lasts`()
        async throws
    {
        try await withEngine { engine in
            let interaction = try await Self.begin(engine)
            #expect(try await Self.prove(engine, interaction, browser: SHA256.hash("another browser")) == false)
            #expect(try await Self.prove(engine, interaction, in: .rival) == false)
            #expect(try await Self.find(engine, interaction).progress.identity == nil)
            #expect(try await Self.prove(engine, interaction))
            let identity = try #require(try await Self.find(engine, interaction).progress.identity)
            #expect(identity.subject == engine.ada && identity.proof == Proof(.password, at: engine.clock.now))
            engine.clock.advance(by: .seconds(900))
            #expect(try await Self.prove(engine, interaction) == false)
        }
    }

    @Test func `V34: the second proof is the first person's, given once, and never before the first`() async throws {
        try await withEngine { engine in
            let interaction = try await Self.begin(engine)
            let ben = engine.teams.people.ben
            #expect(try await Self.proveAgain(engine, engine.ada, interaction) == false)
            #expect(try await Self.prove(engine, interaction, owing: .proof))
            #expect(try await Self.enter(engine, interaction) == false)
            #expect(try await Self.proveAgain(engine, ben, interaction) == false)
            #expect(try await Self.proveAgain(engine, engine.ada, interaction))
            #expect(try await Self.proveAgain(engine, engine.ada, interaction) == false)
            // Another first proof takes the second one away again.
            #expect(try await Self.prove(engine, interaction, owing: .proof))
            #expect(try await Self.enter(engine, interaction) == false)
        }
    }

    @Test func `V8, V20: of twenty requests at once one makes a session of the proofs`() async throws {
        try await withEngine { engine in
            let interaction = try await Self.begin(engine)
            #expect(try await Self.prove(engine, interaction))
            let entries = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 { group.addTask { try await Self.enter(engine, interaction) } }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(entries == 1)
        }
    }

    @Test func `a sign-in to a page of ours leads there, and asks for a password whatever session there is`()
        async throws
    {
        try await withEngine { engine in
            let session = try await engine.session(of: engine.ada)
            let interaction = try await engine.interactions.begin(next: "/x", browserHash: Engine.browser, in: .acme)
            #expect(interaction.app == nil)
            let first = try await engine.interactions.nextStep(of: interaction, session, in: .acme)
            guard case .signIn = first else { throw TestFailure("a session is taken for a sign-in") }
            #expect(try await Self.prove(engine, interaction))
            #expect(try await Self.enter(engine, interaction))
            let entered = try await Self.find(engine, interaction)
            let last = try await engine.interactions.nextStep(of: entered, session, in: .acme)
            guard case .leave(next: "/x") = last else { throw TestFailure("it leads elsewhere") }
            #expect(
                try await engine.interactions.cancel(
                    entered, browserHash: Engine.browser, in: .acme, from: TestTeams.origin) == nil)
        }
    }

    private static func progress(_ due: SecondFactorDue, second: Bool, entered: Bool = false, aside: Bool = false)
        -> InteractionProgress
    {
        let now = Timestamp.now()
        return InteractionProgress(
            identity: InteractionProgress.Identity(
                subject: Subject(hexadecimal: "ada"), login: "ada", proof: Proof(.password, at: now), due: due),
            second: second ? Proof(.totp, at: now) : nil, enteredAt: entered ? now : nil,
            requiresReauthentication: aside)
    }

    private static func word(_ status: InteractionProgress.Status) -> String {
        switch status {
        case .stranger: "stranger"
        case .owes: "owes"
        case .proved: "proved"
        case .settled: "settled"
        }
    }

    private static func begin(_ engine: Engine) async throws -> Interaction {
        let request = try await engine.authorize()
        return try await engine.interactions.begin(
            request, browserHash: Engine.browser, in: .acme, from: TestTeams.origin)
    }

    private static func find(_ engine: Engine, _ interaction: Interaction) async throws -> Interaction {
        try #require(try await engine.interactions.find(interaction.id, browserHash: Engine.browser, in: .acme))
    }

    private static func prove(
        _ engine: Engine, _ interaction: Interaction, owing due: SecondFactorDue = .nothing,
        browser: [UInt8] = Engine.browser, in team: TeamID = .acme
    ) async throws -> Bool {
        try await engine.interactions.prove(
            try #require(try await UserStore(engine.teams.database).find(engine.ada, in: .acme)), by: .password,
            login: "ada@acme.example", owing: due, in: interaction, browserHash: browser, of: team)
    }

    private static func proveAgain(_ engine: Engine, _ person: Subject, _ interaction: Interaction) async throws -> Bool
    {
        try await engine.interactions.proveAgain(
            person, by: .totp, in: interaction, browserHash: Engine.browser, of: .acme)
    }

    private static func enter(_ engine: Engine, _ interaction: Interaction) async throws -> Bool {
        try await engine.interactions.enter(interaction, browserHash: Engine.browser, of: .acme) { proofs in
            try await engine.teams.database.query(proofs.taking, in: .acme).first.map { _ in true }
        } ?? false
    }
}
