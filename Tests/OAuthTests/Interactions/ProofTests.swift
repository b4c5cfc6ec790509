import Core
import Crypto
import Platform
import TestSupport
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

    @Test func `V23: proofs are kept for the browser that began, in its team, while the sign-in lasts`() async throws {
        try await withEngine { engine in
            let interaction = try await engine.begin()
            #expect(try await engine.prove(in: interaction.held(by: SHA256.hash("another browser"))) == false)
            #expect(try await engine.prove(in: interaction.held(in: .rival)) == false)
            #expect(try await engine.find(interaction)?.progress.identity == nil)
            #expect(try await engine.prove(in: interaction))
            let identity = try #require(try await engine.find(interaction)?.progress.identity)
            #expect(identity.subject == engine.ada && identity.proof == Proof(.password, at: engine.clock.now))
            engine.clock.advance(by: .seconds(900))
            #expect(try await engine.prove(in: interaction) == false)
        }
    }

    @Test func `V34: the second proof is the first person's, given once, and never before the first`() async throws {
        try await withEngine { engine in
            let interaction = try await engine.begin()
            #expect(try await engine.proveAgain(in: interaction) == false)
            #expect(try await engine.prove(owing: .proof, in: interaction))
            #expect(try await engine.enter(interaction) == nil)
            #expect(try await engine.proveAgain(engine.ben, in: interaction) == false)
            #expect(try await engine.proveAgain(in: interaction))
            #expect(try await engine.proveAgain(in: interaction) == false)
            // Another first proof takes the second one away again.
            #expect(try await engine.prove(owing: .proof, in: interaction))
            #expect(try await engine.enter(interaction) == nil)
        }
    }

    @Test func `V8, V20: of twenty requests at once one makes a session of the proofs`() async throws {
        try await withEngine { engine in
            let interaction = try await engine.begin()
            #expect(try await engine.prove(in: interaction))
            let entries = try await race(20) { _ in try await engine.enter(interaction) }
            #expect(entries.count { $0 != nil } == 1)
        }
    }

    @Test func `a sign-in to a page of ours leads there, and asks for a password whatever the session`() async throws {
        try await withEngine { engine in
            let session = try await engine.session(of: engine.ada)
            let interaction = try await engine.begin(next: "/x")
            #expect(interaction.app == nil)
            let first = try await engine.interactions.nextStep(of: interaction, session)
            guard case .signIn = first else { throw TestFailure("a session is taken for a sign-in") }
            #expect(try await engine.prove(in: interaction))
            #expect(try await engine.enter(interaction) != nil)
            let entered = try #require(try await engine.find(interaction))
            let last = try await engine.interactions.nextStep(of: entered, session)
            guard case .leave(next: "/x") = last else { throw TestFailure("it leads elsewhere") }
            #expect(try await engine.cancel(entered) == nil)
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

}
