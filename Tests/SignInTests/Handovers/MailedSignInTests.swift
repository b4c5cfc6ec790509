import Core
import Directory
import TestAuthenticator
import Testing

@testable import Platform
@testable import TestTeams

/// Signing in by a mailed link, which stays open while strangers keep the password locked.
@Suite(.site) struct MailedSignInTests {
    @Test func `S30: somebody who is locked out gets a link by mail, and signs in by it where they asked`() throws {
        try site.lockPassword()
        let browser = site.browser()
        let start = try browser.get(Browser.authorize(Browser.everything))
        #expect(!start.body.contains("formaction"))
        let locked = try browser.signIn(start)
        #expect(locked.status == 429)
        let offer = try #require(locked.body.firstMatch(between: "formaction=\"", and: "\""))
        let csrf = try #require(locked.value(of: "csrf"))
        // The form's own fields come along, the password too.
        let sent = try browser.post(
            offer, [("csrf", csrf), ("email", "ada@acme.example"), ("password", "x"), ("help", "link")])
        #expect(sent.status == 200 && sent.headline == "Check your email")
        let message = try #require(try site.mails().last)
        #expect(message.message.name == "sign-in-link" && message.recipient.rawValue == "ada@acme.example")
        let page = try browser.get(try site.link())
        #expect(page.headline == "Sign in by this link?" && page.body.contains("ada@acme.example"))
        #expect(browser.cookies[Browser.sessionCookie] == nil)
        let sheet = try browser.follow(try browser.send(page, []))
        #expect(sheet.headline == "Continue to Web of com.acme.app")
        #expect(browser.cookies[Browser.sessionCookie] != nil)
        let factor = "SELECT first_factor FROM sessions WHERE team_id = 'ACMETEAM01'"
        #expect(try site.admin(factor) == [["mailed_link"]])
        // Once.
        #expect(try browser.send(page, []).status == 410)
    }

    @Test func `S30: a passkey signs in while the password is locked`() throws {
        let owner = try site.signedIn()
        var key = try site.authenticator()
        try owner.add(&key)
        try site.lockPassword()
        key.counter = 1
        let browser = site.browser()
        let locked = try browser.signIn(try browser.get(Browser.authorize()))
        #expect(locked.status == 429)
        let passkey = try locked.form(to: "/passkey")
        #expect(try browser.send(passkey, try key.assert(passkey)).status == 303)
        #expect(browser.cookies[Browser.sessionCookie] != nil)
    }

    @Test func `S30, V40: a link does nothing in another browser than the one that asked`() throws {
        let (attacker, victim) = (site.browser(), site.browser())
        _ = try attacker.askForHelp("ada@acme.example", link: true)
        let link = try site.link()
        let page = try victim.get(link)
        #expect(page.status == 409 && page.headline == "Open the link where you asked for it")
        let csrf = try #require(try victim.get(Browser.authorize()).value(of: "csrf"))
        #expect(try victim.post(link, [("csrf", csrf)]).status == 409)
        // Nor does who asked get anything by its having been followed elsewhere.
        for browser in [attacker, victim] { #expect(browser.cookies[Browser.sessionCookie] == nil) }
        #expect(try site.count("sessions") == 0)
        let proofs = "SELECT FROM interactions WHERE first_factor IS NOT NULL"
        #expect(try site.admin(proofs).isEmpty)
    }

    @Test func `S30, V34: a second factor is asked for after the link too`() async throws {
        let secret = try await site.addTOTP()
        let browser = site.browser()
        _ = try browser.askForHelp("ada@acme.example", link: true)
        let page = try browser.follow(try browser.send(try browser.get(try site.link()), []))
        #expect(page.body.contains("one-time-code") && browser.cookies[Browser.sessionCookie] == nil)
        let form = try page.form(to: "/factor")
        let code = ("code", site.code(of: secret))
        #expect(try browser.send(form, [("method", "totp"), code]).status == 303)
        #expect(browser.cookies[Browser.sessionCookie] != nil)
    }

    @Test func `S30: after a quarter of an hour it is over; a sign-in that is over leads to the person's page`() throws
    {
        let browser = site.browser()
        let page = try browser.get(Browser.authorize())
        let form = try browser.get(try #require(page.link("/recovery")))
        site.clock.advance(by: .seconds(600))
        _ = try browser.send(form, [("email", "ada@acme.example"), ("help", "link")])
        let link = try browser.get(try site.link())
        site.clock.advance(by: .seconds(600))
        var answer = try browser.send(link, [])
        for _ in 0..<3 { answer = try browser.follow(answer) }
        #expect(answer.status == 200 && answer.body.contains("ada@acme.example"))

        let late = site.browser()
        _ = try late.askForHelp("ada@acme.example", link: true)
        let other = try late.get(try site.link())
        site.clock.advance(by: .seconds(900))
        #expect(try late.send(other, []).status == 410)
    }

    @Test func `S30, V18: it ends with another password, with suspension, and with a newer one`() async throws {
        let browser = site.browser()
        _ = try browser.askForHelp("ada@acme.example", link: true)
        let first = try site.link()
        site.clock.advance(by: .seconds(1))
        _ = try browser.askForHelp("ada@acme.example", link: true)
        #expect(try browser.get(first).status == 410)
        // Rival's link is none of Acme's.
        let live = try site.link()
        #expect(try browser.get(live.replacing("ACMETEAM01", with: "RIVALTEAM1")).status == 410)
        let before = try browser.get(live)
        let owner = site.browser()
        site.clock.advance(by: .seconds(1))
        _ = try owner.askForHelp("ada@acme.example", link: false)
        let reset = try owner.send(try owner.get(try site.link()), [("new", "a wholly other secret")])
        #expect(reset.headline == "Your password is changed")
        #expect(try browser.send(before, []).status == 410)

        site.clock.advance(by: .seconds(1))
        _ = try browser.askForHelp("ada@acme.example", link: true)
        let second = try browser.get(try site.link())
        try await site.suspend(site.teams.people.ada)
        #expect(try browser.send(second, []).status == 410)
        #expect(browser.cookies[Browser.sessionCookie] == nil)
    }

    @Test(arguments: [true, false])
    func `S30, V31: nobody's address is answered like somebody's, written alike, and mailed nothing`(link: Bool) throws
    {
        for (name, mails) in [("nobody@acme.example", 0), ("ada@acme.example", 1), ("no address", 1)] {
            try site.forgetMailedLinks()
            let answer = try site.browser().askForHelp(name, link: link)
            #expect(answer.status == 200 && answer.headline == "Check your email", "\(name)")
            let rows = try site.admin(
                "SELECT count(*)::text, count(interaction_id)::text, count(browser_hash)::text FROM mailed_links")
            #expect(rows == [["1", "1", "1"]], "\(name)")
            #expect(try site.mails().count == mails, "\(name)")
        }
    }

    @Test func `S30: a link that somebody else asks for ends none that waits in another browser`() throws {
        let own = site.browser()
        _ = try own.askForHelp("ada@acme.example", link: true)
        let link = try site.link()
        _ = try site.browser().askForHelp("ada@acme.example", link: true)
        #expect(try own.send(try own.get(link), []).status == 303)
        #expect(own.cookies[Browser.sessionCookie] != nil)
    }
}
