import Crypto
import Platform
import TestDatabase
import TestSupport
import Testing

@testable import OAuth
@testable import TestTeams

/// An app ends its sessions with a person.
@Suite struct SignOutTests {
    @Test func `with a refresh token that session ends, without one all do, and the consent stays`() async throws {
        try await withEngine { engine in
            let sub = engine.ada.rawValue
            let first = try await engine.tokens()
            let second = try await engine.tokens()
            let sister = try await engine.tokens(at: .sisterWeb)
            let other = try await engine.tokens(at: .otherWeb)
            try await engine.signOut(sub, first.refreshToken)
            #expect(try await !engine.isAlive(first.refreshToken))
            #expect(try await engine.isAlive(second.refreshToken))

            let code = try await engine.code()
            try await engine.signOut(sub)
            #expect(try await !engine.isAlive(second.refreshToken))
            #expect(try await !engine.isAlive(sister.refreshToken, .sisterWeb))
            #expect(try await engine.isAlive(other.refreshToken, .otherWeb))
            #expect(try await engine.refusal(redeeming: code)?.code == .invalidGrant)
            #expect(try await engine.signIn(to: .web, Engine.fullRequest)["user"] == nil)
            #expect(try engine.actions().count { $0 == "app_session.ended" } == 2)
        }
    }

    @Test func `another person's token, a dead one and garbage end nothing`() async throws {
        try await withEngine { engine in
            let ada = try await engine.tokens()
            let ben = engine.ben
            try await engine.signOut(ben.rawValue, ada.refreshToken)
            for text in ["garbage", ada.accessToken, ada.idToken] {
                try await engine.signOut(engine.ada.rawValue, text)
            }
            try await engine.signOut("nobody")
            try await engine.signOut("\u{1F34F}")
            #expect(try await engine.isAlive(ada.refreshToken))
            #expect(try engine.actions().allSatisfy { $0 != "app_session.ended" })
        }
    }

    @Test func `neither another group's client nor Rival can`() async throws {
        try await withTokens { engine, tokens in
            for (client, team) in [(ClientID.otherWeb, TeamID.acme), (.web, .rival)] {
                try await engine.signOut(engine.ada.rawValue, tokens.refreshToken, at: client, in: team)
                try await engine.signOut(engine.ada.rawValue, at: client, in: team)
            }
            #expect(try await engine.isAlive(tokens.refreshToken))
        }
    }

    @Test func `V43: where nothing is to be ended nobody waits for the person`() async throws {
        try await withTokens { engine, tokens in
            try await engine.signOut(engine.ada.rawValue)
            let holder = try RowHolder(at: engine.conninfo, "SELECT FROM users FOR NO KEY UPDATE")
            try await engine.signOut(engine.ada.rawValue)
            try await engine.signOut(engine.ada.rawValue, tokens.refreshToken)
            #expect(try await !engine.endConsent(for: .other))
            try holder.commit()
            #expect(try engine.actions().count { $0 == "app_session.ended" } == 1)
        }
    }
}

/// A consent ended by the person or the team.
@Suite struct ConsentEndTests {
    @Test func `codes and refresh tokens of the group end with it, and the sub stays`() async throws {
        try await withTokens { engine, tokens in
            let other = try await engine.tokens(at: .otherWeb)
            let code = try await engine.code()

            #expect(try await engine.endConsent())

            #expect(try await !engine.isAlive(tokens.refreshToken))
            #expect(try await engine.isAlive(other.refreshToken, .otherWeb))
            #expect(try await engine.refusal(redeeming: code)?.code == .invalidGrant)
            #expect(try engine.actions().last == "consent.ended")
            #expect(try await engine.claims(try await engine.tokens().idToken).string("sub") == engine.ada.rawValue)
        }
    }

    @Test func `what never was ends without a trace, and nothing ends twice`() async throws {
        try await withEngine { engine in
            #expect(try await !engine.endConsent())
            _ = try await engine.tokens()
            #expect(try await engine.endConsent())
            #expect(try await !engine.endConsent())
            #expect(try engine.actions().count { $0 == "consent.ended" } == 1)
        }
    }

    @Test func `of twenty ends at once one leaves an event`() async throws {
        try await withTokens { engine, _ in
            let ends = try await race(20) { _ in try await engine.endConsent() }
            #expect(ends.count { $0 } == 1)
            #expect(try engine.actions().count { $0 == "consent.ended" } == 1)
        }
    }
}
