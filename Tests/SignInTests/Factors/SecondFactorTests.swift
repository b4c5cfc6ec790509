import Crypto
import Directory
import EventLoop
import Platform
import Testing

@testable import TestTeams

/// The second proof of a sign-in.
@Suite(.site) struct SecondFactorTests {
    @Test func `V26: somebody with an app has no session before its code`() async throws {
        let secret = try await site.addTOTP()
        let browser = site.browser()

        let page = try browser.typePassword()
        #expect(page.status == 200 && page.body.contains("one-time-code"))
        #expect(browser.cookies[Browser.sessionCookie] == nil)
        #expect(try browser.get(Browser.account).status == 303)

        let form = try page.form(to: "/factor")
        let wrong = try browser.send(form, [("method", "totp"), ("code", "000000")])
        #expect(wrong.status == 401 && browser.cookies[Browser.sessionCookie] == nil)
        let right = try browser.send(form, [("method", "totp"), ("code", site.code(of: secret))])
        #expect(right.status == 303 && browser.cookies[Browser.sessionCookie] != nil)
        #expect(try browser.get(Browser.account).body.contains("ada@acme.example"))
    }

    @Test func `V34: a password that was changed since is no first proof`() async throws {
        let secret = try await site.addTOTP()
        let (browser, bystander) = (site.browser(), site.browser())
        let form = try browser.typePassword().form(to: "/factor")
        let start = try bystander.get(Browser.authorize())
        let hash = try TestTeams.argon2id.hash("a wholly other secret")
        let teams = site.teams
        _ = try await teams.loop.run {
            try await teams.database.change(in: .acme) { change in
                try await PasswordStore.set(hash, for: teams.people.ada, change)
            }
        }
        let late = try browser.send(form, [("method", "totp"), ("code", site.code(of: secret))])
        #expect(late.status == 410 && browser.cookies[Browser.sessionCookie] == nil)
        let page = try bystander.signIn(start, password: "a wholly other secret")
        #expect(page.body.contains("one-time-code"))
    }

    @Test func `V34: the password typed once more is no second factor`() async throws {
        try await site.addTOTP()
        let browser = site.browser()
        let page = try browser.typePassword()
        let form = try page.form(to: "/factor")

        for method in ["password", "", "apple", "recovery"] {
            let answer = try browser.send(
                form, [("method", method), ("code", People.password), ("password", People.password)])
            #expect(answer.status == 303 && browser.cookies[Browser.sessionCookie] == nil)
        }
        let again = try browser.send(
            PageForm(action: form.action.replacing("/factor", with: "/password"), text: form.text),
            [("email", "ada@acme.example"), ("password", People.password)])
        #expect(try browser.follow(again).body.contains("one-time-code"))
        #expect(browser.cookies[Browser.sessionCookie] == nil)
    }

    @Test func `an app's people are asked too, before anything is shared`() async throws {
        let secret = try await site.addTOTP()
        let browser = site.browser()
        let page = try browser.typePassword(at: Browser.authorize(Browser.everything))
        let interaction = try page.form(to: "/factor").action.replacing("/factor", with: "")
        let factor = try page.form(to: "/factor")
        let csrf = try #require(factor.value(of: "csrf"))

        let skipped = try browser.post(interaction + "/consent", [("csrf", csrf), ("decision", "continue")])
        #expect(!skipped.body.contains("name=\"code\" value=\"c"))
        #expect(try browser.get(interaction).body.contains("one-time-code"))
        let done = try browser.send(
            try page.form(to: "/factor"), [("method", "totp"), ("code", site.code(of: secret))])
        #expect(try browser.follow(done).body.contains("email_choice"))
    }

    @Test func `a wrong code has a cause of its own in the inspector`() async throws {
        try await site.addTOTP()
        let browser = site.browser()
        let form = try browser.typePassword(at: Browser.authorize(Browser.everything)).form(to: "/factor")
        for number in 1...6 {
            site.clock.advance(by: .seconds(1))
            let answer = try browser.send(form, [("method", "totp"), ("code", "1")])
            #expect((answer.status == 429) == (number == 6), "\(number)")
        }
        #expect(browser.cookies[Browser.sessionCookie] == nil)

        let causes = """
            SELECT DISTINCT event::jsonb->>'cause' FROM trace_events WHERE kind = 'proof_refused' ORDER BY 1
            """
        let expected = [["second_factor_locked"], ["second_factor_wrong"]]
        try await site.flush()
        #expect(try site.admin(causes) == expected)
    }
}
