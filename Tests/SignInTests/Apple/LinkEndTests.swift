import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// What ends with a connection to Apple, and what stays.
@Suite struct `Parting from Apple` {
    private static let rita = Performer.regular.subject.rawValue

    /// Ada with a token of an app that she consented to here and came to with her password, and with one that she came
    /// for by way of Apple.
    private func both() throws -> (browser: Browser, own: String, apples: String) {
        try site.listen()
        let browser = site.browser()
        let own = try site.token(of: try browser.consent())
        try browser.connect(.regular)
        return (browser, own, try site.token(of: try site.browser().signInAtApple(.regular)))
    }

    @Test(.apple) func `ends what came by way of it, gives Apple's tokens back, and leaves the rest`() async throws {
        let (browser, own, apples) = try both()
        let other = site.browser()
        try other.openAccount(.regular)
        #expect(try browser.follow(try browser.disconnect()).body.contains("Apple is disconnected"))

        #expect(try site.isAlive(own) && !site.isAlive(apples))
        #expect(try other.get(Browser.account).status == 303)
        #expect(try site.identities().isEmpty && site.stateOfAda() == "authorized")
        #expect(try Set(site.tokenStates()) == ["ending"])
        try await site.work { try Set(site.tokenStates()) == ["revoked"] }
        #expect(try site.told().isEmpty)
        #expect(try site.actions().contains("identity.unlinked"))
        guard case .plain(_, let paragraphs)? = try site.mails().last?.message else {
            throw TestFailure("another letter")
        }
        #expect(paragraphs[0].hasPrefix("The Apple Account was disconnected"))

        // Apple's person is somebody else from here on.
        let claims = try site.claims(of: try site.browser().signInAtApple(.regular))
        #expect(claims["sub"]?.string == Self.rita)
    }

    @Test(.apple) func `ends a consent given on Apple's sheet, whose app is told`() throws {
        try site.listen()
        let browser = try site.connected(.hidden)
        let token = try site.token(of: try site.browser().signInAtApple(.hidden))
        _ = try browser.disconnect()

        #expect(try !site.isAlive(token) && site.stateOfAda() == "revoked")
        #expect(try site.told() == [["consent-revoked", site.ada]])
        // The next sign-in is a first one again, on the sheet here.
        let start = try #require(try browser.get(Browser.authorize(Browser.everything))["Location"])
        #expect(try browser.get(start).body.contains("email_choice"))
    }

    @Test(.apple) func `wants a recent proof, a form of ours, and another way to sign in`() throws {
        let browser = try site.connected(.regular)
        let page = try browser.get("\(Browser.account)/apple")
        #expect(try browser.post("\(Browser.account)/apple/removal", []).status == 403)
        site.clock.advance(by: .seconds(601))
        let detour = try browser.send(try page.form(to: "/removal"))
        #expect(detour["Location"]?.hasPrefix("\(Browser.account)/proof?next=") == true)
        #expect(try site.identities().count == 1)

        try browser.openOwnPage()
        try site.removePassword(of: site.teams.people.ada)
        let refusal = try browser.disconnect()
        #expect(refusal.status == 409 && refusal.body.contains("only way to sign in"))
        #expect(try site.identities().count == 1)
    }

    @Test(.apple) func `is nothing for somebody who came by way of Apple, and nobody else's`() throws {
        let browser = site.browser()
        try browser.openAccount(.regular)
        let page = try browser.get("\(Browser.account)/apple")
        #expect(page.status == 200 && page.forms.isEmpty)
        let csrf = try #require(try browser.get(Browser.account).value(of: "csrf"))
        #expect(try browser.post("\(Browser.account)/apple/removal", [("csrf", csrf)]).status == 303)
        #expect(try site.identities() == [[Self.rita, Self.rita]])

        let ada = try site.signedIn()
        #expect(try ada.get("\(Browser.account)/apple").status == 303)
        let token = try #require(try ada.get(Browser.account).value(of: "csrf"))
        #expect(try ada.post("\(Browser.account)/apple/removal", [("csrf", token)]).status == 303)
        #expect(try site.identities().count == 1)
    }

    @Test(.notifications) func `happens when the account at Apple is deleted: the person stays, and no app is told`()
        throws
    {
        let (browser, own, apples) = try both()
        #expect(try site.notification(site.event("account-delete")).status == 200)

        #expect(try site.isAlive(own) && !site.isAlive(apples))
        #expect(try browser.get(Browser.account).status == 200)
        #expect(try site.identities().isEmpty && Set(site.tokenStates()) == ["revoked"])
        #expect(try site.stateOfAda() == "authorized" && site.told().isEmpty)
        #expect(try site.profile()[0][0] == "ada@acme.example")
        #expect(try site.actions().contains("upstream_identity.removed"))
    }

    @Test(.notifications) func `to a deleted account leaves somebody in who has lost their password`() throws {
        _ = try site.connected(.regular)
        try site.removePassword(of: site.teams.people.ada)
        #expect(try site.notification(site.event("account-delete")).status == 200)
        #expect(try site.identities().isEmpty && site.profile().count == 1)
    }

    @Test(.notifications) func `is not what stopping at Apple is: that ends what came by way of it, for that group`()
        throws
    {
        let (browser, own, apples) = try both()
        let other = site.browser()
        try other.openAccount(.regular)
        #expect(try site.notification(site.event("consent-revoked")).status == 200)

        #expect(try site.isAlive(own) && !site.isAlive(apples))
        #expect(try browser.get(Browser.account).status == 200)
        #expect(try other.get(Browser.account).status == 303)
        #expect(try site.stateOfAda() == "authorized" && site.told().isEmpty)
        #expect(try site.actions().contains("upstream_authorization.ended"))
        // Coming back needs no new connection.
        let claims = try site.claims(of: try site.browser().signInAtApple(.regular))
        #expect(claims["sub"]?.string == site.ada)
    }

    @Test(.apple) func `is not what Apple's daily answer is, which ends the same`() async throws {
        let (_, own, apples) = try both()
        try site.admin("UPDATE refresh_tokens SET revoked_at = now() WHERE team_id = 'APPLESIM00'")
        site.clock.advance(by: .seconds(2 * 86_400))
        try await site.withProcess { process in
            try await process.validate()
            try await site.wait { try Set(site.tokenStates()) == ["revoked"] }
        }
        #expect(try site.isAlive(own) && !site.isAlive(apples))
        #expect(try site.identities() == [[Self.rita, site.ada]])
        #expect(try site.stateOfAda() == "authorized" && site.told().isEmpty)
    }

    @Test(.notifications) func `concerns a consent given at Apple, and the apps hear of it`() throws {
        _ = try site.connected(.hidden)
        let token = try site.token(of: try site.browser().signInAtApple(.hidden))
        let flag = "SELECT forwards_mail::text FROM consents WHERE sub = $1"
        #expect(try site.notification(site.event("email-disabled", of: .hidden), id: "1").status == 200)
        #expect(try site.admin(flag, site.ada) == [["false"]])
        #expect(try site.notification(site.event("consent-revoked", of: .hidden), id: "2").status == 200)
        #expect(try !site.isAlive(token) && site.stateOfAda() == "revoked")
        #expect(try site.notificationTypes() == ["email-disabled", "consent-revoked"])
    }

    @Test(.notifications) func `of the relay says nothing of an address that the app got here`() throws {
        _ = try both()
        #expect(try site.notification(site.event("email-disabled")).status == 200)
        let flag = "SELECT forwards_mail::text FROM consents WHERE sub = $1"
        #expect(try site.admin(flag, site.ada) == [["true"]])
        #expect(try site.told().isEmpty)
    }
}
