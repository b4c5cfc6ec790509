import Core
import Directory
import Simulator
import Testing

@testable import Platform
@testable import TestTeams

/// Whose a mailed link is: of who asked, or of who reads the mail.
@Suite struct MailedLinkBrowserTests {
    @Test(.site) func `S7, V41: who confirms a registration elsewhere chooses the password, and the other's is none`()
        throws
    {
        let (attacker, owner) = (site.browser(), site.browser())
        _ = try attacker.register("dora@acme.example", password: "a password of hers")
        let link = try site.link()
        let page = try owner.get(link)
        #expect(page.headline == "Choose your password" && page.value(of: "email") == nil)
        #expect(page.body.contains("dora@acme.example"))
        // A click alone makes no account: what is missing is said beside the field, and what was typed is kept.
        let unchosen = try owner.send(page, [("given_name", "Dorothea")])
        #expect(unchosen.status == 422 && unchosen.body.contains("field-new-error"))
        #expect(unchosen.body.contains("value=\"Dorothea\""))
        #expect(try site.users("dora@acme.example") == 0)
        let done = try owner.send(page, [("given_name", "Dorothea"), ("new", "a wholly other secret")])
        #expect(done.status == 200 && done.headline == "Your account is ready")

        #expect(try attacker.get(link).status == 410)
        for browser in [attacker, owner] { #expect(browser.cookies[Browser.sessionCookie] == nil) }
        let start = try attacker.get(Browser.authorize())
        let email = "dora@acme.example"
        #expect(try attacker.signIn(start, email: email, password: "a password of hers").status == 401)
        #expect(try owner.signIn(start, email: email, password: "a wholly other secret").status == 410)
        let again = try owner.get(Browser.authorize())
        let sheet = try owner.signIn(again, email: email, password: "a wholly other secret")
        #expect(sheet.headline == "Continue to Web of com.acme.app")
    }

    @Test(.site) func `S7: a registration that the previous release kept is confirmed with a new password`() throws {
        let browser = site.browser()
        _ = try browser.register("dora@acme.example", password: "a password of hers")
        try site.admin("UPDATE mailed_links SET browser_hash = NULL")
        #expect(try browser.get(try site.link()).headline == "Choose your password")
    }

    @Test(.site) func `S8: another address is confirmed in a session of that account, and in no other`() throws {
        let attacker = try site.signedIn(as: "ben@acme.example")
        let form = try attacker.get(Browser.account + "/email")
        _ = try attacker.send(form, [("email", "victim@new.example"), ("current", People.password)])
        let link = try site.link()
        let (stranger, ada) = (site.browser(), site.browser())
        try ada.openOwnPage()
        for victim in [stranger, ada] {
            let page = try victim.get(link)
            #expect(page.status == 403 && page.headline == "Sign in first")
            // A form of ours, and the button that the page does not show.
            let csrf = try #require(try victim.get(Browser.authorize()).signInToken(victim))
            let answer = try victim.post(link, [("csrf", csrf)])
            #expect(answer.status == 403 && answer.headline == "Sign in first")
        }
        #expect(try site.users("victim@new.example") == 0)
        // Who signs in to that account there, comes back to the link, and may.
        let page = try stranger.get(link)
        let next = try #require(page.link("\(PercentCoding.encode(link))"))
        let back = try stranger.follow(try stranger.signIn(try stranger.get(next), email: "ben@acme.example"))
        #expect(back.headline == "Is this your address?")
        #expect(try stranger.send(back, []).headline == "Your email address is changed")
        #expect(try site.users("victim@new.example") == 1)
    }

    @Test(.apple) func `V41: who resets the password of an address nobody had confirmed finds nothing prepared there`()
        async throws
    {
        let attacker = try site.signedIn()
        try attacker.connect(.regular)
        let token = try site.token(of: try attacker.consentAnew())
        try await site.addTOTP()
        try site.admin(
            """
            INSERT INTO passkeys (
                team_id, credential_id, sub, name, algorithm, public_key, sign_count, is_backup_eligible,
                is_backed_up, transports, created_at
            ) VALUES ('ACMETEAM01', '\\x01', $1, 'Prepared', -7, '\\x02', 0, false, false, '{}', now())
            """, site.ada)
        try site.admin("UPDATE users SET is_email_verified = false WHERE sub = $1", site.ada)
        let owner = site.browser()
        // Whatever is asked for, a link to choose the password is what comes.
        _ = try owner.askForHelp("ada@acme.example", link: true)
        #expect(try site.mails().last?.message.name == "password-reset")
        let done = try owner.send(try owner.get(try site.link()), [("new", "a wholly other secret")])
        #expect(done.headline == "Your password is changed")

        #expect(try attacker.get(Browser.account).status == 303)
        let refresh: [String: String?] = ["grant_type": "refresh_token", "refresh_token": token]
        #expect(try site.client("token", refresh).status == 400)
        #expect(try site.identities().isEmpty)
        for table in ["totp_secrets", "passkeys", "recovery_codes", "consents", "sessions"] {
            let left = "SELECT FROM \(table) WHERE team_id = 'ACMETEAM01' AND sub = $1"
            #expect(try site.admin(left, site.ada).isEmpty, "\(table)")
        }
        #expect(try site.actions().contains("account.reclaimed"))
        let page = try owner.get(Browser.authorize())
        #expect(try owner.signIn(page).status == 401)
        #expect(try owner.signIn(page, password: "a wholly other secret").status == 200)
    }

    @Test(.site) func `V34, V41: a reset by somebody whose address is confirmed leaves their factors as they are`()
        async throws
    {
        try await site.addTOTP()
        let owner = site.browser()
        _ = try owner.askForHelp("ada@acme.example", link: false)
        _ = try owner.send(try owner.get(try site.link()), [("new", "a wholly other secret")])
        let page = try owner.signIn(try owner.get(Browser.authorize()), password: "a wholly other secret")
        #expect(page.body.contains("one-time-code"))
    }
}

extension Browser {
    /// Registers, as far as the page that says a mail is on its way.
    func register(_ email: String, password: String) throws -> Answer {
        let page = try get(Self.authorize())
        let form = try get(try #require(page.link("/registration")))
        return try send(form, [("email", email), ("given_name", "Dora"), ("family_name", "Maar"), ("new", password)])
    }

    /// Asks for a mail at the page for forgotten passwords: a link that signs in, or one to choose another password.
    func askForHelp(_ email: String, link: Bool) throws -> Answer {
        let page = try get(Self.authorize(Self.everything))
        let form = try get(try #require(page.link("/recovery")))
        return try send(form, [("email", email)] + (link ? [("help", "link")] : []))
    }

    /// Signs in to an app with the session there is, on the sheet of the first time.
    func consentAnew() throws -> Answer {
        let start = try get(Self.authorize(Self.everything))
        let sheet = try get(try #require(start["Location"]))
        return try send(sheet, [("email_choice", "share"), ("decision", "continue")])
    }
}

extension Answer {
    /// The token of the forms of that browser: of this page, or of the one it leads to.
    func signInToken(_ browser: Browser) throws -> String? {
        try value(of: "csrf") ?? browser.get(try #require(self["Location"])).value(of: "csrf")
    }
}

extension TestSite {
    /// How many people of Acme have that address.
    func users(_ email: String) throws -> Int {
        try teams.admin("SELECT FROM users WHERE team_id = 'ACMETEAM01' AND lower(email) = $1", email).count
    }
}
