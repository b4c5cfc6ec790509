import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// What Apple tells late, after something newer has happened: the newer fact stands, and only what the older one concerns
/// changes.
@Suite(.notifications) struct `What Apple tells late` {
    @Test func `S34: ends its own group though the person has come to another one since`() throws {
        let (before, after) = (site.browser(), site.browser())
        let token = try site.tokens()
        try before.openAccount(.regular)
        let event = site.event("consent-revoked", after: .seconds(60))
        site.clock.advance(by: .seconds(600))
        try site.comeToOtherGroup()
        let sessions = "SELECT token_hash FROM sessions WHERE team_id = 'ACMETEAM01'"
        let old = try site.admin(sessions)
        try after.openAccount(.regular)
        // The page of ours was reached by the other group's registration.
        try site.admin(
            "DELETE FROM upstream_tokens WHERE created_at > $1::timestamptz - interval '1 s' AND app_id = 'com.acme.app'",
            site.now)

        #expect(try site.notification(event).status == 200)
        #expect(try !site.isAlive(token) && site.credentialState() == "revoked")
        #expect(try site.appleTokens("com.acme.app").allSatisfy { $0 == "revoked" })
        #expect(try site.appleTokens("com.acme.other") == ["live"])
        #expect(try site.identityStates() == ["authorized"])
        #expect(try before.get(Browser.account).status == 303 && after.get(Browser.account).status == 200)
        #expect(old.count == 1)
    }

    @Test func `S34: leaves a token to be asked about where nothing but an arrival is newer`() throws {
        let token = try site.tokens()
        let event = site.event("consent-revoked", after: .seconds(60))
        site.clock.advance(by: .seconds(600))
        try site.admin("UPDATE upstream_identities SET last_seen_at = $1, last_login_at = $1", site.now)

        #expect(try site.notification(event).status == 200)
        #expect(try site.isAlive(token) && site.tokenStates() == ["live"])
    }

    @Test func `S39: switches mail by when it happened, not by when it comes`() throws {
        _ = try site.tokens(of: .hidden)
        let flag = "SELECT forwards_mail::text FROM consents WHERE team_id = 'ACMETEAM01'"
        func tell(_ name: String, at seconds: Int, id: String) throws -> [[String?]] {
            let event = site.event(name, of: .hidden, after: .seconds(seconds))
            #expect(try site.notification(event, id: id).status == 200)
            return try site.admin(flag)
        }
        #expect(try tell("email-enabled", at: 60, id: "1") == [["true"]])
        #expect(try tell("email-disabled", at: 30, id: "2") == [["true"]])
        #expect(try tell("email-disabled", at: 90, id: "3") == [["false"]])
        #expect(try tell("email-enabled", at: 60, id: "4") == [["false"]])
        #expect(try tell("email-enabled", at: 120, id: "5") == [["true"]])
        #expect(try tell("email-disabled", at: 90, id: "6") == [["true"]])
        // In one moment, the one that comes last.
        #expect(try tell("email-disabled", at: 120, id: "7") == [["false"]])
        let told = try site.admin("SELECT type FROM notifications ORDER BY created_at")
        #expect(told == [["email-disabled"], ["email-enabled"], ["email-disabled"]])
    }

    @Test func `S39: says nothing of a consent that was given later`() throws {
        let old = site.event("email-disabled", of: .hidden)
        site.clock.advance(by: .seconds(600))
        _ = try site.tokens(of: .hidden)
        #expect(try site.notification(old).status == 200)
        #expect(try site.admin("SELECT forwards_mail::text FROM consents WHERE team_id = 'ACMETEAM01'") == [["true"]])
    }
}

/// Facts that a node wrote while its clock was ahead.
@Suite(.notifications) struct `What was dated ahead of the time` {
    /// A person who came while a clock was a day ahead.
    private func comeAhead() throws -> String {
        site.clock.advance(by: .seconds(86_400))
        let token = try site.tokens()
        site.clock.advance(by: .seconds(-86_400))
        return token
    }

    @Test func `V53: does not keep somebody whose account at Apple is deleted`() throws {
        _ = try comeAhead()
        site.clock.advance(by: .seconds(60))
        #expect(try site.notification(site.event("account-delete")).status == 200)
        #expect(try site.count("users", of: Performer.regular.subject, in: .acme) == 0)
    }

    @Test func `V53: does not keep tokens of a consent that was taken back at Apple`() throws {
        let token = try comeAhead()
        site.clock.advance(by: .seconds(60))
        #expect(try site.notification(site.event("consent-revoked")).status == 200)
        #expect(try !site.isAlive(token))
        #expect(Set(try site.tokenStates()) == ["revoked"])
        #expect(try site.identityStates() == ["revoked"])
    }
}

/// Our own revocation at Apple, which Apple tells us of as if the person had stopped.
@Suite(.notifications) struct `The echo of our own revocation` {
    /// A person who signed out everywhere, and whose token was revoked at Apple; their browser is still signed in here.
    private func signOut() async throws -> Browser {
        _ = try site.tokens()
        let browser = site.browser()
        try browser.openAccount(.regular)
        site.clock.advance(by: .seconds(60))
        #expect(try site.client("sign-out", ["sub": Performer.regular.subject.rawValue]).status == 200)
        try await site.work { try Set(site.tokenStates()) == ["revoked"] }
        return browser
    }

    @Test func `S40: ends nothing that a plain sign-out left standing`() async throws {
        let browser = try await signOut()
        for (round, delay) in [0, 2, 300].enumerated() {
            let event = site.event("consent-revoked", after: .seconds(delay))
            #expect(try site.notification(event, id: "echo-\(round)").status == 200)
        }
        #expect(try site.count("consents", in: .acme) == 1)
        #expect(try browser.get(Browser.account).status == 200)
        #expect(try site.identityStates() == ["authorized"])
        #expect(try site.count("notifications") == 0)
    }

    @Test func `S40: ends no newer sign-in, whatever the clocks say`() async throws {
        _ = try await signOut()
        let event = site.event("consent-revoked", after: .zero)
        site.clock.advance(by: .seconds(2))
        let token = try site.tokens()
        #expect(try site.notification(event).status == 200)
        #expect(try site.isAlive(token) && site.appleTokens("com.acme.app").contains("live"))
    }

    @Test(arguments: [true, false]) func `S40: is not taken for what the person did later, or before`(isLater: Bool)
        async throws
    {
        let before = site.event("consent-revoked", after: .seconds(30))
        _ = try await signOut()
        site.clock.advance(by: .seconds(30))
        let token = isLater ? try site.tokens() : nil
        let event = isLater ? site.event("consent-revoked", after: .seconds(30)) : before
        #expect(try site.notification(event).status == 200)
        #expect(try token.map { try !site.isAlive($0) } ?? true)
        #expect(try site.count("consents", in: .acme) == 0)
    }

    @Test func `S40: is none where Apple said that it did not revoke`() async throws {
        _ = try site.tokens()
        site.script.set(.unknownClient, at: .revocation, times: .max)
        #expect(try site.client("sign-out", ["sub": Performer.regular.subject.rawValue]).status == 200)
        try await site.workInVain()
        #expect(try site.notification(site.event("consent-revoked")).status == 200)
        #expect(try site.count("consents", in: .acme) == 0)
    }
}

extension TestSite {
    /// By the clock of the test, as the database reads it.
    var now: String { teams.clock.now.description }

    /// Somebody comes to another group of apps by way of Apple.
    func comeToOtherGroup(_ performer: Performer = .regular) throws {
        try teams.admin(
            """
            UPDATE upstream_identities SET last_seen_at = $1, last_login_at = $1, last_login_app_id = 'com.acme.other'
            WHERE identifier = $2
            """, now, performer.subject.rawValue)
        try teams.admin(
            """
            INSERT INTO upstream_tokens (
                team_id, token_id, provider, sub, identifier, app_id, client_id, token_sealed, created_at, validate_at
            ) VALUES (
                'ACMETEAM01', substr(sha256($1::text::bytea), 1, 16), 'apple', $1, $1, 'com.acme.other', 'com.acme.other.siwa', '', $2,
                $2::timestamptz + interval '1 day'
            )
            """, performer.subject.rawValue, now)
    }

    /// The states of what Apple gave for one group, the oldest first.
    func appleTokens(_ primaryAppID: String) throws -> [String?] {
        try teams.admin("SELECT state FROM upstream_tokens WHERE app_id = $1 ORDER BY created_at", primaryAppID).map {
            $0[0]
        }
    }
}
