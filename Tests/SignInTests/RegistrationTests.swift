import Core
import Crypto
import EventLoop
import Testing

@testable import Platform
@testable import TestTeams

/// Accounts that people make themselves; security cases V16, V17, V19 and V31.
@Suite(.site) struct RegistrationTests {
    private static let dora = [
        ("email", "dora@acme.example"), ("given_name", "Dora"), ("family_name", "Maar"), ("new", "a password of hers"),
    ]

    @Test func `a person makes an account, follows the mailed link, and goes on to the app`() throws {
        let browser = site.browser()
        let form = try Self.form(browser)
        #expect(form.headline == "Create an account" && form.body.contains("new-password"))
        let sent = try browser.send(form, Self.dora)
        #expect(sent.status == 200 && sent.headline == "Check your email")
        #expect(try site.users("dora@acme.example") == 0)
        let page = try browser.get(try site.link())
        #expect(page.headline == "Is this your address?")
        let sheet = try browser.follow(try browser.send(page, []))
        #expect(sheet.headline == "Continue to Web of com.acme.app" && sheet.body.contains("Dora"))
        let exit = try browser.send(sheet, [("email_choice", "share"), ("decision", "continue")])
        let tokens = try site.redeem(exit)
        #expect(tokens.status == 200)
        let verified = try site.admin("SELECT is_email_verified::text FROM users WHERE email = 'dora@acme.example'")
        #expect(verified == [["true"]])
        // A browser that is the first of an account is no news.
        #expect(try site.mails().map(\.message.name) == ["verification"])
    }

    @Test func `a link that is followed after the sign-in is over goes on to the app all the same`() throws {
        let browser = site.browser()
        _ = try browser.send(try Self.form(browser), Self.dora)
        site.clock.advance(by: .seconds(3600))
        let page = try browser.get(try site.link())
        let sheet = try browser.follow(try browser.send(page, []))
        #expect(sheet.headline == "Continue to Web of com.acme.app" && sheet.body.contains("Dora"))
        let exit = try browser.send(sheet, [("email_choice", "share"), ("decision", "continue")])
        #expect(exit.value(of: "state") == "state-1")
        let tokens = try site.redeem(exit)
        let claims = try UnverifiedJWT(try #require(tokens.json["id_token"]?.string)).unverifiedClaims
        #expect(tokens.status == 200 && claims.members["nonce"] == "nonce-1")
    }

    @Test func `where the app may ask no more, the person is told that the account is ready`() throws {
        let browser = site.browser()
        _ = try browser.send(try Self.form(browser), Self.dora)
        site.clock.advance(by: .seconds(3600))
        try site.admin("UPDATE return_urls SET url = url || '2' WHERE team_id = 'ACMETEAM01'")
        let done = try browser.send(try browser.get(try site.link()), [])
        #expect(done.status == 200 && done.headline == "Your account is ready")
    }

    @Test func `the link works once, and in another browser it leads to signing in`() throws {
        _ = try { browser in try browser.send(try Self.form(browser), Self.dora) }(site.browser())
        let link = try site.link()
        let phone = site.browser()
        let done = try phone.send(try phone.get(link), [("new", "a password of hers")])
        #expect(done.status == 200 && done.headline == "Your account is ready")
        #expect(phone.cookies[Browser.sessionCookie] == nil)
        #expect(try phone.get(link).status == 410)
        let stranger = site.browser()
        let sheet = try stranger.signIn(
            try stranger.get(Browser.authorize()), email: "dora@acme.example", password: "a password of hers")
        #expect(sheet.headline == "Continue to Web of com.acme.app")
    }

    @Test func `V31: a known address is answered like an unknown one, and learns it by mail`() throws {
        var answers: [String] = []
        let (hashes, judgements) = (site.pool.callCount, site.judges.callCount)
        for email in ["dora@acme.example", "ada@acme.example", "ADA@acme.example"] {
            let browser = site.browser()
            var form = Self.dora
            form[0].1 = email
            let answer = try browser.send(try Self.form(browser), form)
            #expect(answer.status == 200)
            let interaction = try #require(answer.body.firstMatch(of: /interactions\/[^"]+/)).output
            answers.append(answer.body.replacing(email, with: "E").replacing(interaction, with: "A"))
        }
        #expect(Set(answers).count == 1)
        // One for each: the time of a hash tells nothing.
        #expect(site.pool.callCount == hashes + 3 && site.judges.callCount == judgements + 3)
        #expect(try site.mails().map(\.message.name) == ["verification", "plain", "plain"])
        #expect(try site.users("ada@acme.example") == 1)
    }

    @Test func `V16: whoever registers a known address gets nothing of the account behind it`() throws {
        let browser = site.browser()
        var form = Self.dora
        form[0].1 = "ada@acme.example"
        _ = try browser.send(try Self.form(browser), form)
        let stranger = site.browser()
        let answer = try stranger.signIn(try stranger.get(Browser.authorize()), password: "a password of hers")
        #expect(answer.status == 401)
    }

    @Test func `V17: what a person may not decide of themselves is not taken from the form`() throws {
        let browser = site.browser()
        let sub = "000000.00000000000000000000000000000000.0000"
        let extra = [
            ("sub", sub), ("is_email_verified", "true"), ("suspended_at", ""), ("team_id", "RIVALTEAM1"),
            ("relay_address", "x@relay.example"), ("role", "owner"), ("login", "ada@acme.example"),
        ]
        _ = try browser.send(try Self.form(browser), Self.dora + extra)
        #expect(try site.users("dora@acme.example") == 0)
        _ = try browser.send(try browser.get(try site.link()), extra)
        let rows = try site.admin(
            """
            SELECT u.team_id, u.relay_address, l.login FROM users u JOIN login_names l USING (team_id, sub)
            WHERE u.email = 'dora@acme.example' AND u.sub <> $1
            """, sub)
        #expect(rows == [["ACMETEAM01", nil, "dora@acme.example"]])
    }

    @Test func `V19: the link is of the configured address, whatever the request claims`() throws {
        let browser = site.browser()
        let forged = ["Host: evil.example", "X-Forwarded-Host: evil.example"]
        _ = try browser.send(try Self.form(browser), Self.dora, forged)
        #expect(try site.mails().first?.message.link?.hasPrefix("https://pippin.example/t/ACMETEAM01/") == true)
    }

    @Test(arguments: ["invitation", "off"]) func `where the team does not let people in, there is no form`(
        policy: String
    ) throws {
        let browser = site.browser()
        let form = try Self.form(browser)
        try site.setRegistration(policy)
        #expect(try browser.send(form, Self.dora).status == 404)
        #expect(!(try browser.get(Browser.authorize()).body.contains("Create an account")))
        #expect(try site.mails().isEmpty)
    }

    @Test func `everything that is wrong is said at once, and what was typed is kept`() throws {
        let browser = site.browser()
        let form = try Self.form(browser)
        let wrong = [
            ("email", "dora"), ("given_name", String(repeating: "a", count: 101)), ("family_name", "Maar"),
            ("new", "short"),
        ]
        let answer = try browser.send(form, wrong)
        #expect(answer.status == 422)
        for field in ["email", "given_name", "new"] { #expect(answer.body.contains("field-\(field)-error")) }
        #expect(answer.body.contains("value=\"dora\"") && answer.body.contains("value=\"Maar\""))
        #expect(!answer.body.contains("value=\"short\""))
    }

    @Test func `V47: an account gets five mails an hour, and another address one all the same`() throws {
        let browser = site.browser()
        let form = try Self.form(browser)
        let answers = try (0..<6).map { _ in try browser.send(form, Self.dora) }
        #expect(answers.map(\.status) == [200, 200, 200, 200, 200, 429])
        #expect((1...3600).contains(answers[5]["Retry-After"].flatMap { Int($0) } ?? 0))
        #expect(try browser.send(form, [("email", "emil@acme.example")] + Self.dora.dropFirst()).status == 200)
        // What one network asked for keeps nobody from asking elsewhere.
        let elsewhere = site.browser(from: 2)
        #expect(try elsewhere.send(try Self.form(elsewhere), Self.dora).status == 200)
        #expect(try site.mails().count == 7)
    }

    @Test func `sixty people of a class make accounts behind one address within ten minutes`() throws {
        for number in 0..<60 {
            let browser = site.browser()
            let pupil = [("email", "pupil\(number)@acme.example")] + Self.dora.dropFirst()
            #expect(try browser.send(try Self.form(browser), pupil).status == 200, "\(number)")
            site.clock.advance(by: .seconds(10))
        }
        #expect(try site.mails().count == 60)
    }

    @Test func `V18: Rival's link is none of Acme's, and a day is its life`() throws {
        let browser = site.browser()
        _ = try browser.send(try Self.form(browser), Self.dora)
        let link = try site.link()
        let elsewhere = link.replacing("ACMETEAM01", with: "RIVALTEAM1")
        #expect(try browser.get(elsewhere).status == 410)
        #expect(try browser.get(link.replacing("/account/", with: "/password/")).status == 410)
        let page = try browser.get(link)
        site.clock.advance(by: .seconds(24 * 3600))
        #expect(try browser.send(page, []).status == 410)
        #expect(try site.users("dora@acme.example") == 0)
    }

    private static func form(_ browser: Browser) throws -> Answer {
        let page = try browser.get(Browser.authorize(Browser.everything))
        return try browser.get(try #require(page.link("/registration")))
    }
}
