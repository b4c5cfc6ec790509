import Crypto
import Directory
import Platform
import Testing

@testable import TestTeams

/// Second factors on the person's own page.
@Suite(.site) struct AccountFactorTests {
    private func addTOTP(_ browser: Browser) throws -> TOTPSecret {
        let (form, secret, values) = try browser.get(Browser.account + "/factors/totp/new").totpOffer(to: "/totp/new")
        let done = try browser.send(form, values)
        #expect(done.status == 200 && done.body.contains("recovery-codes/file"))
        return secret
    }

    @Test func `an app is added, listed, and the session gets another name`() throws {
        let browser = try site.signedIn()
        let before = browser.cookies[Browser.sessionCookie]

        _ = try addTOTP(browser)

        #expect(browser.cookies[Browser.sessionCookie] != before)
        let page = try browser.get(Browser.account)
        #expect(page.body.contains("/account/factors/totp\"") && page.body.contains("10 codes are left"))
        #expect(try browser.get(Browser.account + "/factors/totp").status == 200)
        #expect(try site.actions().contains("factor.added"))
    }

    @Test func `V34: changing them asks for a factor once ten minutes have passed, not for the password`() throws {
        let browser = try site.signedIn()
        let secret = try addTOTP(browser)
        site.clock.advance(by: .seconds(601))

        let away = try browser.get(Browser.account + "/factors/passkeys")
        #expect(away["Location"]?.hasPrefix(Browser.account + "/proof?next=") == true)
        let page = try browser.follow(away)
        let form = try page.form(to: "/proof")
        #expect(!page.body.contains("current-password"))
        let password = try browser.send(
            form, [("method", "password"), ("email", "ada@acme.example"), ("password", People.password)])
        #expect(password.status == 200)
        #expect(try browser.get(Browser.account + "/factors/passkeys").status == 303)

        let before = browser.cookies[Browser.sessionCookie]
        let proved = try browser.send(form, [("method", "totp"), ("code", site.code(of: secret))])
        #expect(proved["Location"] == Browser.account + "/factors/passkeys")
        #expect(browser.cookies[Browser.sessionCookie] != before)
        #expect(try browser.follow(proved).status == 200)
    }

    @Test func `somebody without one proves it by the password`() throws {
        let browser = try site.signedIn()
        site.clock.advance(by: .seconds(601))
        let page = try browser.follow(try browser.get(Browser.account + "/factors/totp/new"))
        let form = try page.form(to: "/proof")
        func send(_ email: String, _ password: String) throws -> Answer {
            try browser.send(form, [("method", "password"), ("email", email), ("password", password)])
        }

        #expect(try send("ada@acme.example", "wrong password").status == 401)
        #expect(try send("ben@acme.example", People.password).status == 401)
        #expect(try send("ada@acme.example", People.password).status == 303)
        #expect(try browser.get(Browser.account + "/factors/totp/new").status == 200)
    }

    @Test func `the only one stays where the team requires one`() throws {
        let browser = try site.signedIn()
        _ = try addTOTP(browser)
        try site.require(.required)
        let form = try browser.get(Browser.account + "/factors/totp").form(to: "/removal")

        #expect(try browser.send(form).status == 409)
        try site.require(.optional)
        #expect(try browser.send(form).status == 303)
        #expect(try browser.get(Browser.account + "/factors/totp").status == 303)
    }

    @Test func `a passkey is renamed and removed; another's does not exist`() throws {
        let browser = try site.signedIn()
        var key = try site.authenticator()
        try browser.add(&key)
        let address = try browser.passkeyPage()

        let page = try browser.get(address)
        let rename = try #require(page.forms.first)
        #expect(try browser.send(rename, [("name", "  ")]).status == 422)
        #expect(try browser.send(rename, [("name", "Key ring")]).status == 303)
        #expect(try browser.get(Browser.account).body.contains("Key ring"))

        let rivals = site.browser()
        _ = try rivals.signIn(try rivals.get("/t/RIVALTEAM1/account/session"))
        #expect(try rivals.get(address.replacing("ACMETEAM01", with: "RIVALTEAM1")).status == 404)
        #expect(try browser.send(try page.form(to: "/removal")).status == 303)
        #expect(try browser.get(address).status == 404)
    }

    @Test func `every change is told by mail, in the person's language`() throws {
        let browser = try site.signedIn()
        _ = try addTOTP(browser)
        var key = try site.authenticator()
        try browser.add(&key, named: "Key ring")
        _ = try browser.send(try browser.get(Browser.account).form(to: "/recovery-codes"))
        let removal = try browser.get(Browser.account + "/factors/totp").form(to: "/removal")
        let csrf = try #require(removal.value(of: "csrf"))
        _ = try browser.post(removal.action, [("csrf", csrf)], ["Accept-Language: de"])

        let messages = try site.mails().compactMap { mail -> [String]? in
            guard case .plain(let subject, let paragraphs) = mail.message else { return nil }
            return [subject] + paragraphs
        }
        try #require(messages.count == 4)
        #expect(messages[0][0] == "The ways to confirm your Acme account changed")
        #expect(messages[0][1].hasPrefix("An authenticator app was added"))
        #expect(messages[1][1] == "The passkey “Key ring” was added to your Acme account.")
        #expect(messages[2][1].hasPrefix("New recovery codes"))
        #expect(messages[3][1] == "Die Authenticator-App wurde aus Ihrem Acme-Konto entfernt.")
        #expect(try site.mails().allSatisfy { $0.recipient.rawValue == "ada@acme.example" })
    }

    @Test func `S17, V47: changes made again and again are told five times an hour`() throws {
        let browser = try site.signedIn()
        _ = try addTOTP(browser)
        func renew(_ times: Int) throws {
            let form = try browser.get(Browser.account).form(to: "/recovery-codes")
            for _ in 0..<times { #expect(try browser.send(form).status == 200) }
        }
        try renew(7)
        #expect(try site.mails().count == 5)
        #expect(try site.actions().filter { $0 == "recovery_codes.regenerated" }.count == 7)
    }

    @Test func `the file of codes gives back codes alone`() throws {
        let browser = try site.signedIn()
        _ = try addTOTP(browser)
        let form = try browser.send(try browser.get(Browser.account).form(to: "/recovery-codes")).form(to: "/file")

        let file = try browser.send(form, [("codes", "<script>\nabcde-fghij\nnonsense")])

        #expect(file.body == "abcde-fghij\r\n")
        #expect(try browser.post(form.action, [("csrf", "x"), ("codes", "abcde-fghij")]).status == 403)
    }
}
