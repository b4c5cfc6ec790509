import Core
import Directory
import EventLoop
import Platform
import Testing

@testable import TestTeams

@Suite struct `What a person may do a few times` {
    @Test(.site(limits: ["heavy-work": 2]))
    func `V42, V43: everything is handed out so often, to who showed lately who they are`() throws {
        let browser = try site.consented()
        let page = try browser.get("\(Browser.account)/data")
        #expect(page.status == 200 && page.headline == "Download your data")
        #expect(try browser.post("\(Browser.account)/data", [("csrf", "none")]).status == 403)
        let answers = try (0..<3).map { _ in try browser.send(page, []) }
        #expect(answers.map(\.status) == [200, 200, 429])
        #expect(answers[0].json["user"]?["email"] == "ada@acme.example" && answers[2]["Retry-After"] == "300")
        #expect(try site.actions().count { $0 == "user.exported" } == 2)
        let ben = try site.signedIn(as: "ben@acme.example")
        #expect(try ben.send(try ben.get("\(Browser.account)/data"), []).status == 200)

        site.clock.advance(by: .seconds(3601))
        for answer in [try browser.get("\(Browser.account)/data"), try browser.send(page, [])] {
            #expect(answer.status == 303)
            #expect(answer["Location"]?.hasPrefix("\(Browser.account)/proof?next=") == true)
        }
        let proof = try browser.follow(try browser.get("\(Browser.account)/data"))
        let back = try browser.send(
            try proof.form(to: "/proof"), [("email", "ada@acme.example"), ("password", People.password)])
        #expect(try browser.send(try browser.follow(back), []).status == 200)
    }

    @Test(.site) func `S30, V31, V47: recovery mails that one network asked for leave the owner others`() throws {
        let (own, stranger, elsewhere) = (try site.signedIn(), site.browser(), site.browser(from: 2))
        // Both kinds count together.
        let answers = try (0..<6).map { try stranger.askForHelp("ada@acme.example", link: $0.isMultiple(of: 2)) }
        #expect(answers.map(\.status) == [200, 200, 200, 200, 200, 429])
        #expect(try elsewhere.askForHelp("ada@acme.example", link: false).status == 200)
        // So does the browser that the account knows.
        own.forget(Browser.sessionCookie)
        #expect(try own.askForHelp("ada@acme.example", link: true).status == 200)
        #expect(try site.mails().count == 7)
        #expect(try own.send(try own.get(try site.link()), []).status == 303)
        #expect(own.cookies[Browser.sessionCookie] != nil)
    }

    @Test(.site(limits: ["mail-by-sender": 2]))
    func `V47: mail to other addresses is of the person and of the network, and what is refused takes nothing`() throws
    {
        func ask(_ browser: Browser, _ count: Int) throws -> [Int] {
            let form = try browser.get(Browser.account + "/email")
            return try (0..<count).map { number in
                try browser.send(form, [("email", "p\(number)@new.example"), ("current", People.password)]).status
            }
        }
        #expect(try ask(try site.signedIn(), 3) == [200, 200, 429])
        // Accounts are cheap: another one of the same network gets no more.
        #expect(try ask(try site.signedIn(as: "ben@acme.example"), 3) == [429, 429, 429])
        #expect(try ask(try site.signedIn(as: "ben@acme.example", from: 2), 3) == [200, 200, 429])
    }

    @Test(.site)
    func `V47, V74: changes of one's own address to another's use up nothing of what a team may send there`()
        async throws
    {
        func ask(_ browser: Browser) throws -> Int {
            let form = try browser.get(Browser.account + "/email")
            return try browser.send(form, [("email", "victim@new.example"), ("current", People.password)]).status
        }
        let browser = try site.signedIn()
        #expect(try (0..<6).map { _ in try ask(browser) } == [200, 200, 200, 200, 200, 429])
        #expect(try ask(try site.signedIn(as: "ben@acme.example")) == 429, "of the same network")
        #expect(try ask(try site.signedIn(as: "ben@acme.example", from: 2)) == 200)
        #expect(try site.browser().askForHelp("victim@new.example", link: false).status == 200)

        let (teams, member) = (site.teams, site.teams.people.ada)
        try site.admin("INSERT INTO users (team_id, sub) VALUES ('PIPPIN0000', $1)", member.rawValue)
        try site.admin(
            "INSERT INTO memberships (team_id, sub, role) VALUES ('ACMETEAM01', $1, 'owner')", member.rawValue)
        let victim = try #require(EmailAddress(rawValue: "victim@new.example"))
        let caller = AccountCaller(team: .acme, language: .english, origin: TestTeams.origin, now: teams.clock.now)
        try await teams.loop.run {
            let invitations = UserInvitations(teams.database, mailer: AccountMailer { _, _, _, _, _ in })
            try await invitations.invite(victim, by: member, for: caller)
        }
    }

    @Test(.site) func `V47, V53: mail of an app is switched back and forth, and only the last word waits`() throws {
        let browser = site.browser()
        let sheet = try browser.signIn(try browser.get(Browser.authorize(Browser.everything)))
        _ = try browser.send(sheet, [("email_choice", "hide"), ("decision", "continue")])
        try site.listen()
        let csrf = try #require(try browser.get(Browser.account).value(of: "csrf"))
        func turn(_ choice: String) throws {
            let path = "\(Browser.account)/apps/com.acme.app/relay"
            #expect(try browser.post(path, [("csrf", csrf), ("relay", choice)]).status == 303)
        }
        // One that a worker has is left alone.
        try turn("off")
        try site.admin("UPDATE jobs SET worker = 'somebody' WHERE kind = 'notification.delivery'")
        try turn("on")
        #expect(try site.notificationTypes() == ["email-disabled", "email-enabled"])
        // What is so already changes nothing.
        try turn("on")
        for number in 2..<10 { try turn(number.isMultiple(of: 2) ? "off" : "on") }
        #expect(try site.notificationTypes() == ["email-disabled", "email-enabled"])
        let jobs =
            "SELECT state, count(*)::text FROM jobs WHERE kind = 'notification.delivery' GROUP BY state ORDER BY state"
        #expect(try site.admin(jobs) == [["cancelled", "8"], ["pending", "2"]])
        #expect(try site.actions().count { $0.hasPrefix("relay.") } == 10)
    }
}
