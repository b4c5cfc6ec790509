import Core
import Platform
import TestDatabase
import Testing

@testable import TestTeams

/// The person's own page: apps, relay, sessions, password, data, the end.
@Suite(.site) struct AccountPageTests {
    @Test func `apps in use are listed with what they know, and one can be left for good`() throws {
        let browser = site.browser()
        let token = try site.token(of: try browser.consent())
        let page = try browser.get(Browser.account)
        #expect(page.body.contains("The app com.acme.app") && page.body.contains("your email address"))
        let sheet = try browser.get("\(Browser.account)/apps/com.acme.app/end")
        #expect(sheet.headline == "Stop using The app com.acme.app?")
        let home = try browser.follow(try browser.send(sheet, []))
        #expect(home.body.contains("can no longer use your account"))
        #expect(!home.body.contains("The app com.acme.app"))
        #expect(!(try browser.get(Browser.account).body.contains("can no longer use your account")))
        #expect(try !site.isAlive(token))
        // The next sign-in is a first one again.
        let again = try browser.get(try #require(try browser.get(Browser.authorize(Browser.everything))["Location"]))
        #expect(again.body.contains("email_choice"))
    }

    @Test func `V43: the page reads no tokens of apps, which it does not show`() throws {
        let browser = try site.consented()
        let lock = "LOCK TABLE refresh_tokens IN ACCESS EXCLUSIVE MODE"
        let holder = try RowHolder(at: site.conninfo, lock)
        let page = try browser.get(Browser.account)
        try holder.commit()
        #expect(page.status == 200 && page.body.contains("The app com.acme.app"))
    }

    @Test func `mail of an app that got the relay address can be switched off and on`() throws {
        let browser = site.browser()
        let sheet = try browser.signIn(try browser.get(Browser.authorize(Browser.everything)))
        _ = try browser.send(sheet, [("email_choice", "hide"), ("decision", "continue")])
        func flag() throws -> String? {
            try site.admin("SELECT forwards_mail::text FROM consents WHERE app_id = 'com.acme.app'")[0][0]
        }
        try site.listen()
        let page = try browser.get(Browser.account)
        #expect(page.body.contains("@relay.example"))
        let csrf = try #require(page.value(of: "csrf"))
        for (choice, expected) in [("off", "false"), ("off", "false"), ("on", "true")] {
            let answer = try browser.post(
                "\(Browser.account)/apps/com.acme.app/relay", [("csrf", csrf), ("relay", choice)])
            #expect(answer.status == 303)
            #expect(try flag() == expected)
        }
        let events = try site.actions().filter { $0.hasPrefix("relay.") }
        #expect(events == ["relay.disabled", "relay.enabled"])
        // The first of them still waited.
        #expect(try site.notificationTypes() == ["email-enabled"])
        let other = try browser.post(
            "\(Browser.account)/apps/com.acme.other/relay", [("csrf", csrf), ("relay", "off")])
        #expect(other.status == 404)
    }

    @Test func `another browser is signed out, one by one or all at once, and another person's never`() throws {
        let browsers = try (0..<3).map { _ in try site.signedIn() }
        let ben = try site.signedIn(as: "ben@acme.example")
        let page = try browsers[0].get(Browser.account)
        #expect(page.body.ranges(of: "This browser").count == 1)
        let ends = page.body.matches(of: /action="(\/t\/ACMETEAM01\/account\/sessions\/[^"\/]+\/end)"/)
        #expect(ends.count == 2)
        let csrf = try #require(page.value(of: "csrf"))
        let end = try #require(ends.first).1
        // Ben knows the address, and it is none of his.
        let foreign = try #require(try ben.get(Browser.account).value(of: "csrf"))
        #expect(try ben.post(String(end), [("csrf", foreign)]).status == 303)
        #expect(try browsers.map { try $0.get(Browser.account).status } == [200, 200, 200])
        _ = try browsers[0].post(String(end), [("csrf", csrf)])
        #expect(try browsers.map { try $0.get(Browser.account).status }.filter { $0 == 200 }.count == 2)
        _ = try browsers[0].post("\(Browser.account)/sessions/end", [("csrf", csrf)])
        #expect(try browsers.map { try $0.get(Browser.account).status } == [200, 303, 303])
        #expect(try ben.get(Browser.account).status == 200)
    }

    @Test func `a new password wants the old one, keeps the rules, and signs out everywhere else`() throws {
        let (browser, other) = (try site.signedIn(), try site.signedIn())
        let page = try browser.get("\(Browser.account)/password")
        #expect(page.body.contains("autocomplete=\"new-password\""))
        let wrong = try browser.send(page, [("current", "wrong"), ("new", "a wholly other secret")])
        #expect(wrong.status == 422 && wrong.body.contains("field-current-error"))
        for (new, words) in [
            ("short", "at least 8"), ("password1", "common password"), ("ada@acme.example", "made of your name"),
        ] {
            let answer = try browser.send(page, [("current", People.password), ("new", new)])
            #expect(answer.status == 422 && answer.body.contains(words))
        }
        let done = try browser.send(page, [("current", People.password), ("new", "a wholly other secret")])
        #expect(done.status == 303)
        #expect(try browser.get(Browser.account).status == 200)
        #expect(try other.get(Browser.account).status == 303)
        let stranger = site.browser()
        let start = try stranger.get(Browser.authorize())
        #expect(try stranger.signIn(start).status == 401)
        #expect(try stranger.signIn(start, password: "a wholly other secret").status == 200)
    }

    @Test func `the person takes everything along, and the end is typed, proved and complete`() throws {
        let browser = try site.consented()
        let data = try browser.send(try browser.get("\(Browser.account)/data"), [])
        #expect(data["Content-Disposition"] == "attachment; filename=\"account.json\"")
        #expect(data.json["user"]?["email"] == "ada@acme.example")
        #expect(!data.body.contains("argon2"))
        let page = try browser.get("\(Browser.account)/deletion")
        let untyped = try browser.send(page, [("confirmation", "ben"), ("password", People.password)])
        #expect(untyped.status == 422 && untyped.body.contains("field-confirmation-error"))
        let typed = [("confirmation", "ada@acme.example")]
        let unproved = try browser.send(page, typed + [("password", "wrong")])
        #expect(unproved.status == 422 && unproved.body.contains("field-password-error"))
        try site.listen()
        let gone = try browser.send(page, typed + [("password", People.password)])
        #expect(gone.status == 200 && gone.headline == "Your account is deleted")
        #expect(browser.cookies[Browser.sessionCookie] == nil)
        #expect(try site.notificationTypes() == ["account-delete"])
        let left = try site.admin(
            "SELECT count(*)::text FROM users WHERE team_id = 'ACMETEAM01' AND given_name = 'Ada'")
        #expect(left[0][0] == "0")
        let rivals = try site.admin(
            "SELECT count(*)::text FROM users WHERE team_id = 'RIVALTEAM1' AND given_name = 'Ada'")
        #expect(rivals[0][0] == "1")
    }

    @Test func `a stranger signs in first, comes back to the page, and a form of another site changes nothing`() throws
    {
        let browser = site.browser()
        for path in ["", "/password", "/data", "/deletion", "/apps/com.acme.app/end"] {
            let answer = try browser.get(Browser.account + path)
            #expect(answer.status == 303)
            let next = PercentCoding.encode(Browser.account + path)
            #expect(answer["Location"] == "\(Browser.account)/session?next=\(next)")
        }
        _ = try browser.consent()
        for path in ["/apps/com.acme.app/end", "/sessions/end", "/password", "/deletion", "/data"] {
            let answer = try browser.post(
                Browser.account + path, [("csrf", "AAAAAAAAAAAAAAAAAAAAAAAA")], ["Origin: https://evil.example"])
            #expect(answer.status == 403)
        }
        #expect(
            try site.actions().filter { $0.contains("ended") || $0.contains("deleted") || $0.contains("exported") }
                == [])
    }
}
