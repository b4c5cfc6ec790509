import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// Somebody who stops using the apps at Apple within a second of signing in: the times do not tell which came first, so
/// Apple is asked.
@Suite(.notifications) struct `V53: A stop and a sign-in of one second` {
    /// Milliseconds into a second at which the sign-in comes; Apple dates the stop with the whole second.
    private static let fractions = [0, 300, 999]

    /// The person stops at Apple: what was given out is dead there.
    private func stopAtApple() throws {
        try site.admin("UPDATE refresh_tokens SET revoked_at = now() WHERE team_id = 'APPLESIM00'")
    }

    /// A stop of this second, as Apple writes it.
    private func stop() -> JSONValue {
        let seconds = Int64(site.clock.now.seconds)
        let subject = Performer.regular.subject.rawValue
        return ["type": "consent-revoked", "sub": .string(subject), "event_time": .integer(seconds)]
    }

    private func workUntilAnswered() async throws {
        let answered = "SELECT FROM jobs WHERE kind = 'upstream.question' AND state = 'succeeded'"
        try await site.work { try site.admin(answered).count == 1 }
    }

    @Test(arguments: fractions) func `keep the sign-in that came after`(_ fraction: Int) async throws {
        let old = try site.tokens()
        site.clock.advance(by: .seconds(60) + .milliseconds(fraction))
        let event = stop()
        try stopAtApple()
        let new = try site.tokens()

        #expect(try site.notification(event).status == 200)
        #expect(try site.isAlive(new) && site.tokenStates() == ["revoked", "live"])
        try await workUntilAnswered()
        #expect(try site.isAlive(new) && site.credentialState() == "authorized")
        #expect(try site.count("consents", in: .acme) == 1)
        #expect(try site.tokenStates() == ["revoked", "live"] && site.isAlive(old))
    }

    @Test(arguments: fractions) func `end the sign-in that came before`(_ fraction: Int) async throws {
        site.clock.advance(by: .milliseconds(fraction))
        let browser = site.browser()
        try browser.openAccount(.regular)
        let token = try site.tokens()
        try stopAtApple()

        #expect(try site.notification(stop()).status == 200)
        try await workUntilAnswered()
        #expect(try !site.isAlive(token) && site.credentialState() == "revoked")
        #expect(try browser.get(Browser.account).status == 303)
        #expect(try site.count("consents", in: .acme) == 0)
        #expect(Set(try site.tokenStates()) == ["revoked"])
        #expect(try site.notificationTypes() == ["consent-revoked"])
        // Who comes again is here again, for the first time.
        #expect(try site.isAlive(try site.tokens()))
    }

    @Test func `are told apart by the newest token, and asked about until Apple answers`() async throws {
        let first = try site.tokens()
        try stopAtApple()
        site.script.set(.trouble, at: .token)
        #expect(try site.notification(stop()).status == 200)
        try await site.workInVain(at: "upstream.question")
        #expect(try site.isAlive(first), "nobody is signed out for Apple's trouble")
        site.clock.advance(by: .seconds(1))
        let second = try site.tokens()
        try await workUntilAnswered()
        #expect(try site.isAlive(second) && site.tokenStates().last == "live")
    }

    @Test func `end the sign-in where Apple can never be asked`() async throws {
        let token = try site.tokens()
        #expect(try site.notification(stop()).status == 200)
        #expect(try site.isAlive(token))
        try site.admin("DELETE FROM apple_connections")
        try await workUntilAnswered()
        #expect(try !site.isAlive(token) && site.count("consents", in: .acme) == 0)
        #expect(try site.tokenStates() == ["revoked"])
    }

    @Test func `are not taken for the echo of an earlier sign-out`() async throws {
        _ = try site.tokens()
        #expect(try site.client("sign-out", ["sub": Performer.regular.subject.rawValue]).status == 200)
        try await site.work { try site.tokenStates() == ["revoked"] }
        site.clock.advance(by: .seconds(60) + .milliseconds(500))
        let token = try site.tokens()
        try stopAtApple()
        #expect(try site.notification(stop()).status == 200)
        try await workUntilAnswered()
        #expect(try !site.isAlive(token) && site.count("consents", in: .acme) == 0)
    }

    @Test func `leave another team's people alone`() async throws {
        let token = try site.tokens()
        try site.copyTokensToRival()
        try stopAtApple()
        #expect(try site.notification(stop()).status == 200)
        try await workUntilAnswered()
        #expect(try !site.isAlive(token))
        #expect(try site.admin("SELECT DISTINCT state FROM upstream_tokens WHERE team_id = 'RIVALTEAM1'") == [["live"]])
        #expect(try site.admin("SELECT FROM jobs WHERE kind = 'upstream.question' AND team_id <> 'ACMETEAM01'").isEmpty)
    }
}
