import Core
import Crypto
import Directory
import Federation
import Platform
import Postgres
import TestSupport
import Testing

@testable import OAuth
@testable import TestTeams

/// A sign-in from its request to its answer; points P8 and P10 of the conformance list, case V23.
@Suite struct InteractionsTests {
    @Test func `the first time there is a sheet, later a confirmation, and a stranger signs in first`() async throws {
        try await withEngine { engine in
            let interaction = try await engine.begin()
            let session = try await engine.session(of: engine.ada)
            #expect(try await step(engine, interaction, nil) == "signIn")
            #expect(try await step(engine, interaction, session) == "consent")
            _ = try await engine.signIn()
            #expect(try await step(engine, interaction, session) == "confirmation")
            #expect(try await step(engine, interaction, nil) == "signIn")
            let sister = try await engine.begin(.sisterWeb)
            #expect(try await step(engine, sister, session) == "confirmation")
            let other = try await engine.begin(.otherWeb)
            #expect(try await step(engine, other, session) == "consent")
        }
    }

    @Test func `the last sign-in of a person is the last to an app, whatever the age of their session`() async throws {
        try await withEngine { engine in
            func last() async throws -> Timestamp? {
                try await UserStore(engine.database).find(engine.ada, in: .acme)?.lastSignInAt
            }
            _ = try await engine.signIn()
            let first = engine.clock.now
            #expect(try await last() == first)

            engine.clock.advance(by: .seconds(3 * 86_400))
            let interaction = try await engine.begin()
            #expect(try await last() == first)
            _ = try await confirm(engine, interaction, under: consent(engine))
            #expect(try await last() == first + .seconds(3 * 86_400))
        }
    }

    @Test func `P8: user is a JSON text with the parts that were asked for, the name as it was edited`() async throws {
        try await withEngine { engine in
            let answer = try await engine.signIn(to: .web, Engine.fullRequest)
            #expect(answer.names == ["code", "user", "state"])
            #expect(answer["user"] == #"{"name":{"firstName":"Ada","lastName":"King"},"email":"ada@acme.example"}"#)
            let name = try await engine.signIn(to: .otherWeb, ["scope": "name", "response_mode": "form_post"])
            #expect(name["user"] == #"{"name":{"firstName":"Ada","lastName":"King"}}"#)
            let email = try await engine.signIn(
                engine.ben, to: .otherWeb, ["scope": "email", "response_mode": "form_post"])
            #expect(email["user"] == #"{"email":"ben@acme.example"}"#)
        }
    }

    @Test func `P8: user comes again until a code that carried it is redeemed, and then never more`() async throws {
        try await withEngine { engine in
            let lost = try await engine.signIn(to: .web, Engine.fullRequest)
            let again = try await engine.signIn(to: .web, Engine.fullRequest)
            #expect(lost["user"] != nil && lost["user"] == again["user"])
            // A sign-in that carried no user does not count as its delivery.
            _ = try await engine.tokens(at: .web, [:])
            let third = try await engine.signIn(to: .web, Engine.fullRequest)
            #expect(third["user"] != nil)
            _ = try await engine.redeem(try #require(third["code"]))
            let fourth = try await engine.signIn(to: .web, Engine.fullRequest)
            #expect(fourth["user"] == nil)
            #expect(fourth.names == ["code", "state"])
            let sister = try await engine.signIn(to: .sisterWeb, Engine.fullRequest)
            #expect(sister["user"] == nil)
        }
    }

    @Test func `P10: only what was asked for is returned`() async throws {
        try await withEngine { engine in
            let plain = try await engine.signIn()
            #expect(plain.names == ["code"])
            let both = try await engine.signIn(to: .web, ["response_type": "code id_token"])
            #expect(both.names == ["code", "id_token"])
            let state = try await engine.signIn(to: .web, ["state": "s"])
            #expect(state.names == ["code", "state"])
        }
    }

    @Test func `cancelling tells the app so and nothing more, and ends the interaction`() async throws {
        try await withEngine { engine in
            _ = try await engine.signIn()
            let interaction = try await engine.begin(.web, ["state": "s"])
            let answer = try await engine.cancel(interaction)
            #expect(answer?.location == "\(TestTeams.callback)?error=user_cancelled_authorize&state=s")
            let second = try await engine.cancel(interaction)
            #expect(second == nil)
            #expect(try await confirm(engine, interaction, under: consent(engine)) == nil)
        }
    }

    @Test func `V23: an interaction belongs to its browser and its team`() async throws {
        try await withEngine { engine in
            let interaction = try await engine.begin()
            let stranger = SHA256.hash("another browser")
            #expect(try await engine.interactions.find(interaction.id, browserHash: stranger, in: .acme) == nil)
            #expect(try await engine.interactions.find(interaction.id, browserHash: Engine.browser, in: .rival) == nil)
            #expect(try await engine.cancel(interaction.held(by: stranger)) == nil)
            _ = try await engine.signIn()
            let consent = try await consent(engine)
            #expect(try await confirm(engine, interaction.held(by: stranger), under: consent) == nil)
            #expect(try await confirm(engine, interaction, under: consent) != nil)
        }
    }

    @Test func `V8, V20: of twenty confirmations at once one gets a code`() async throws {
        try await withEngine { engine in
            _ = try await engine.signIn()
            let interaction = try await engine.begin()
            let session = try await engine.session(of: engine.ada)
            let consent = try await consent(engine)
            let codes = try await race(20) { _ in try await confirm(engine, interaction, under: consent, of: session) }
            #expect(codes.count { $0 != nil } == 1)
        }
    }

    @Test func `a consent that ended meanwhile is asked for again`() async throws {
        try await withTokens { engine, tokens in
            let interaction = try await engine.begin()
            let consent = try await consent(engine)
            try await engine.revoke(tokens.refreshToken)
            #expect(try await confirm(engine, interaction, under: consent) == nil)
            let session = try await engine.session(of: engine.ada)
            #expect(try await step(engine, interaction, session) == "consent")
        }
    }

    @Test func `a code waits for the end of its consent that is under way, and is not issued then`() async throws {
        try await withEngine { engine in
            _ = try await engine.signIn()
            let interaction = try await engine.begin()
            let code = try await engine.database.transaction(in: .acme) { transaction in
                let end = AuthorizationEnd.consent(
                    of: engine.ada, for: .app, in: .acme, by: .person(engine.ada), from: .test)
                try await end.apply(transaction)
                let consent = try await consent(engine)
                let code = Task(executorPreference: engine.teams.loop) {
                    try await confirm(engine, interaction, under: consent)
                }
                try await engine.teams.waitForWaiter(of: transaction)
                return code
            }
            #expect(try await code.value == nil)
            #expect(try engine.admin("SELECT FROM authorization_codes WHERE redeemed_at IS NULL").isEmpty)
            let session = try await engine.session(of: engine.ada)
            #expect(try await step(engine, interaction, session) == "consent")
        }
    }

    @Test func `an interaction's name has one shape`() {
        let tail = String(repeating: "A", count: 22)
        for good in ["0" + tail, "3" + tail, "0" + tail.dropLast() + "-"] {
            #expect(InteractionID(rawValue: String(good)) != nil)
        }
        for bad in ["4" + tail, "0" + tail.dropLast(), "0" + tail + "A", "", "0" + tail.dropLast() + "/", tail + "é"] {
            #expect(InteractionID(rawValue: String(bad)) == nil, "\(bad)")
        }
    }

    private func step(_ engine: Engine, _ interaction: Interaction, _ session: Session?) async throws -> String {
        switch try await engine.interactions.nextStep(of: interaction, session) {
        case .signIn: "signIn"
        case .proof: "proof"
        case .enrolment: "enrolment"
        case .enter: "enter"
        case .leave: "leave"
        case .consent: "consent"
        case .confirmation: "confirmation"
        }
    }

    private func consent(_ engine: Engine) async throws -> Consent {
        let app = try #require(try await engine.begin().app)
        return try #require(
            try await engine.interactions.consents.find(of: engine.ada, for: app.primaryAppID, in: .acme))
    }

    private func confirm(
        _ engine: Engine, _ interaction: Interaction, under consent: Consent, of session: Session? = nil
    ) async throws -> String? {
        let own = if let session { session } else { try await engine.session(of: engine.ada) }
        return try await engine.interactions.confirm(
            interaction, under: consent, of: own, in: try await engine.snapshot(), from: .test)?["code"]
    }
}

/// A sign-in as it begins.
@Suite struct InteractionTests {
    @Test func `what a sign-in begins with is what is stored`() async throws {
        try await withEngine { engine in
            let everything: Changes = [
                "state": "s", "nonce": "n", "code_challenge": String(repeating: "A", count: 43),
                "code_challenge_method": "S256", "login_hint": "ada@acme.example",
            ]
            for begun in [
                try await engine.begin(.web, Engine.fullRequest.merging(everything) { $1 }), try await engine.begin(),
                try await engine.begin(next: "/t/ACMETEAM01/account"),
            ] {
                let found = try await engine.find(begun)
                #expect(String(reflecting: try #require(found)) == String(reflecting: begun))
            }
        }
    }

    @Test func `an interaction lasts a quarter of an hour`() async throws {
        try await withEngine { engine in
            let interaction = try await engine.begin()
            engine.clock.advance(by: .seconds(900) - .microseconds(1))
            #expect(try await engine.find(interaction) != nil)
            engine.clock.advance(by: .microseconds(1))
            #expect(try await engine.find(interaction) == nil)
        }
    }
}
