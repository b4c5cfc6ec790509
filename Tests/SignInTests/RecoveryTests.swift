import Directory
import Testing

@testable import Platform
@testable import SignIn
@testable import TestTeams

/// Forgotten passwords, other addresses, and mail about them.
@Suite(.site) struct RecoveryTests {
    @Test func `a mailed link lets a person choose another password once, and ends every session`() throws {
        let signedIn = try site.signedIn()
        let browser = site.browser()
        let sent = try browser.askForHelp("ada@acme.example", link: false)
        #expect(sent.headline == "Check your email")
        let page = try browser.get(try site.link())
        #expect(page.headline == "Choose a new password")
        let short = try browser.send(page, [("new", "short")])
        #expect(short.status == 422 && short.body.contains("field-new-error"))
        let done = try browser.send(page, [("new", "a wholly other secret")])
        #expect(done.status == 200 && done.headline == "Your password is changed")
        #expect(try browser.send(page, [("new", "a third password")]).status == 410)
        #expect(try signedIn.get(Browser.account).status == 303)
        #expect(browser.cookies[Browser.sessionCookie] == nil)
        let start = try browser.get(Browser.authorize())
        #expect(try browser.signIn(start).status == 401)
        #expect(try browser.signIn(start, password: "a wholly other secret").status == 200)
        let names = try site.mails().map(\.message.name)
        #expect(names.filter { $0 == "password-reset" }.count == 1 && names.contains("plain"))
    }

    @Test func `mail that goes nowhere is told to a sandbox, and to nobody of a production team`() throws {
        let production = try site.browser().askForHelp("ada@acme.example", link: false)
        try site.setMode("sandbox")
        let sandbox = try site.browser().askForHelp("ada@acme.example", link: false)

        #expect(production.headline == sandbox.headline)
        #expect(!production.body.contains("operators’ mailbox"))
        #expect(sandbox.body.contains("The email is in the operators’ mailbox"))
    }

    @Test func `V31: an unknown name is answered like a known one, and nobody gets mail`() throws {
        var answers: Set<String> = []
        for name in ["ada@acme.example", "nobody@acme.example", "", "no address", "a\0b"] {
            let answer = try site.browser().askForHelp(name, link: false)
            #expect(answer.status == 200, "\(name)")
            answers.insert(answer.headline ?? "")
        }
        #expect(answers == ["Check your email"])
        #expect(try site.mails().map(\.recipient.rawValue) == ["ada@acme.example"])
    }

    @Test func `V18: a link that an intruder asked for is over once the password is another`() throws {
        let intruder = try site.signedIn()
        let form = try intruder.get(Browser.account + "/email")
        _ = try intruder.send(form, [("email", "eve@evil.example"), ("current", People.password)])
        let link = try site.link()
        let page = try intruder.get(link)
        #expect(page.status == 200)
        let owner = site.browser()
        _ = try owner.askForHelp("ada@acme.example", link: false)
        _ = try owner.send(try owner.get(try site.link()), [("new", "a wholly other secret")])
        #expect(try intruder.get(link).status == 410)
        #expect(try intruder.send(page, []).status == 410)
        let rows = try site.admin("SELECT login FROM login_names WHERE login LIKE '%evil%'")
        #expect(rows.isEmpty)
    }

    @Test func `V18: a link in the mailbox of the old address is over once there is another address`() throws {
        _ = try site.browser().askForHelp("ada@acme.example", link: false)
        let old = try site.link()
        let ada = try site.signedIn()
        let form = try ada.get(Browser.account + "/email")
        _ = try ada.send(form, [("email", "ada@new.example"), ("current", People.password)])
        #expect(try ada.get(old).status == 200)
        _ = try ada.send(try ada.get(try site.link()), [])
        #expect(try ada.get(old).status == 410)
    }

    @Test func `V18, V45: suspending a person ends their links`() async throws {
        let browser = site.browser()
        _ = try browser.askForHelp("ada@acme.example", link: false)
        let page = try browser.get(try site.link())
        try await site.suspend(site.teams.people.ada)
        #expect(try browser.send(page, [("new", "a wholly other secret")]).status == 410)
    }

    @Test func `of twenty clicks on one link at once one counts`() throws {
        let browser = site.browser()
        _ = try browser.askForHelp("ada@acme.example", link: false)
        let link = try site.link()
        let csrf = try #require(try browser.get(link).value(of: "csrf"))
        let clicks = try (0..<20).map { number in
            try browser.set(out: link, posting: [("csrf", csrf), ("new", "a wholly other secret \(number)")])
        }
        let answers = try clicks.map { try $0.answer().status }
        #expect(answers.count { $0 == 200 } == 1 && answers.count { $0 == 410 } == 19)
    }

    @Test func `a link works for an hour, and a newer one ends it`() throws {
        let browser = site.browser()
        _ = try browser.askForHelp("ada@acme.example", link: false)
        let first = try site.link()
        site.clock.advance(by: .seconds(1))
        _ = try browser.askForHelp("ada@acme.example", link: false)
        #expect(try browser.get(first).status == 410)
        let page = try browser.get(try site.link())
        site.clock.advance(by: .seconds(3600))
        #expect(try browser.send(page, [("new", "a wholly other secret")]).status == 410)
    }

    @Test func `another address counts once its link was followed, and the old one is told`() throws {
        let browser = try site.signedIn()
        let form = try browser.get(Browser.account + "/email")
        let unproved = try browser.send(form, [("email", "ada@new.example"), ("current", "wrong")])
        let early = try site.mails()
        #expect(unproved.status == 422 && early.isEmpty)
        let proof = ("current", People.password)
        #expect(try browser.send(form, [("email", "ada@new.example"), proof]).status == 200)
        let link = try site.link()
        #expect(try browser.get(Browser.account).body.contains("ada@acme.example"))
        let page = try browser.get(link)
        #expect(try browser.send(page, []).headline == "Your email address is changed")
        #expect(try browser.send(page, []).status == 410)
        #expect(try browser.get(Browser.account).body.contains("ada@new.example"))
        let stranger = site.browser()
        let start = try stranger.get(Browser.authorize())
        #expect(try stranger.signIn(start).status == 401)
        #expect(try stranger.signIn(start, email: "ada@new.example").status == 200)
        let last = try site.mails().filter { $0.message.name == "plain" }
        #expect(last.map(\.recipient.rawValue) == ["ada@acme.example"])
    }

    @Test func `V16: somebody else's address is told of by mail alone, and changes nothing`() throws {
        let browser = try site.signedIn()
        let form = try browser.get(Browser.account + "/email")
        let answer = try browser.send(form, [("email", "ben@acme.example"), ("current", People.password)])
        #expect(answer.status == 200 && answer.headline == "Check your email")
        let mails = try site.mails()
        #expect(mails.map(\.message.name) == ["plain"])
        #expect(mails.map(\.recipient.rawValue) == ["ben@acme.example"])
    }

    @Test func `a sign-in from a browser the account has not been used in is told by mail, once`() throws {
        let browser = try site.signedIn()
        // The first of all is no news.
        #expect(try site.mails().isEmpty)
        let other = site.browser()
        let page = try other.get(Browser.authorize(), ["User-Agent: Mozilla/5.0 (X11; Linux) Firefox/145.0"])
        _ = try other.signIn(page)
        #expect(try site.mails().map(\.message.name) == ["new-sign-in"])
        // Two people share the first one, and stay known there.
        for email in ["ben@acme.example", "ada@acme.example", "ben@acme.example"] {
            _ = try browser.signIn(try browser.get(Browser.account + "/session"), email: email)
        }
        #expect(try site.mails().count == 1)
    }

    @Test func `S10, V47: no word of a browser's own stands in a mail about it`() throws {
        _ = try site.signedIn()
        // Ours where they are known, and none where nothing is.
        for (agent, told) in [
            ("https://evil.example/stop-this", ""), ("Firefox/145.0 https://evil.example", "Firefox"),
        ] {
            let thief = site.browser()
            let page = try thief.get(Browser.authorize())
            let csrf = try #require(page.value(of: "csrf"))
            _ = try thief.post(
                try #require(page.action),
                [("csrf", csrf), ("email", "ada@acme.example"), ("password", People.password)],
                ["Origin: \(TestTeams.publicURL)", "Sec-Fetch-Site: same-origin", "User-Agent: \(agent)"])
            guard case .newSignIn(_, let browser, _, _) = try site.mails().last?.message else {
                Issue.record("no mail about \(agent)")
                continue
            }
            #expect(browser == told)
        }
    }
}
