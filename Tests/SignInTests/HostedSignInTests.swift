import Core
import Crypto
import Platform
import Testing

@testable import TestTeams

/// Signing in over HTTP, page by page.
@Suite(.site) struct HostedSignInTests {
    @Test func `a person signs in, consents and comes back to the app with a code that is redeemed`() throws {
        let browser = site.browser()
        let first = try browser.get(Browser.authorize(Browser.everything))
        #expect(first.status == 200 && first.headline == "Sign in to Web of com.acme.app")
        #expect(first.body.contains("autocomplete=\"username webauthn\""))
        #expect(first.body.contains("autocomplete=\"current-password\""))

        let sheet = try browser.signIn(first)
        #expect(sheet.status == 200 && sheet.headline == "Continue to Web of com.acme.app")
        #expect(sheet.body.contains("value=\"Ada\"") && sheet.body.contains("ada@acme.example"))

        let exit = try browser.send(
            sheet, [("given_name", "Ada"), ("family_name", "King"), ("email_choice", "hide"), ("decision", "continue")])
        #expect(exit.status == 200 && exit.action == TestTeams.callback)
        #expect(exit.value(of: "state") == "state-1")
        let user = try #require(exit.user)
        #expect(user["name"] == ["firstName": "Ada", "lastName": "King"])
        let relay = try #require(user["email"]?.string)
        #expect(relay.hasSuffix("@relay.example"))

        let tokens = try site.redeem(exit)
        #expect(tokens.status == 200 && tokens.json["token_type"] == "Bearer")
        let claims = try UnverifiedJWT(try #require(tokens.json["id_token"]?.string)).unverifiedClaims
        #expect(claims.members["email"]?.string == relay && claims.members["nonce"] == "nonce-1")
        #expect(claims.members["sub"]?.string == site.teams.people.ada.rawValue)
    }

    @Test func `the id_token of the exit page verifies with the published keys`() throws {
        let changes = Browser.everything.merging(["response_type": "code id_token"]) { $1 }
        let exit = try site.browser().consent(changes)
        let token = try UnverifiedJWT(try #require(exit.value(of: "id_token")))
        let set = try JWKSet(json: Array(try site.ask("GET", "/t/ACMETEAM01/auth/keys").body.utf8))
        let kid = try #require(token.header.keyID)
        let key = try #require(set.key(id: kid, algorithm: .rs256))
        let claims = try token.verify(with: key)
        let code = try #require(exit.value(of: "code"))
        #expect(claims.members["c_hash"]?.string == TokenHash.of(code))
    }

    @Test func `the confirmation names the person and lets another one sign in`() throws {
        let browser = try site.consented()
        let start = try browser.get(Browser.authorize(Browser.everything))
        #expect(start.status == 303)
        let page = try browser.get(try #require(start["Location"]))
        #expect(page.body.contains("Continue as Ada"))
        let other = try browser.follow(try browser.send(page, [("decision", "switch")]))
        #expect(other.status == 200 && other.headline == "Sign in to Web of com.acme.app")
        let session = browser.cookies[Browser.sessionCookie]
        let sheet = try browser.signIn(other, email: "ben@acme.example")
        #expect(sheet.body.contains("ben@acme.example") && sheet.body.contains("email_choice"))
        #expect(browser.cookies[Browser.sessionCookie] != session)
    }

    @Test func `V31: a wrong password keeps the email and says the same for accounts that do not exist`() throws {
        for email in ["ben@acme.example", "nobody@acme.example", "", "no address", "a\0b@acme.example"] {
            let browser = site.browser()
            let page = try browser.get(Browser.authorize())
            let answer = try browser.signIn(page, email: email, password: "wrong")
            #expect(answer.status == 401, "\(email)")
            #expect(answer.body.contains("Incorrect email or password."))
            #expect(answer.typed("email") == email)
            #expect(!answer.body.contains("wrong\""))
            #expect(browser.cookies[Browser.sessionCookie] == nil)
            let sheet = try browser.signIn(answer)
            #expect(sheet.headline == "Continue to Web of com.acme.app")
        }
    }

    @Test func `P10: cancelling at any page tells the app so and nothing else`() throws {
        let cancelled = "\(TestTeams.callback)?error=user_cancelled_authorize&state=s"
        let stranger = site.browser()
        let signIn = try stranger.get(Browser.authorize(["state": "s"]))
        #expect(try stranger.send(signIn, [("decision", "cancel")]).target == cancelled)

        let browser = site.browser()
        let sheet = try browser.signIn(try browser.get(Browser.authorize(["state": "s"])))
        #expect(try browser.send(sheet, [("decision", "cancel")]).target == cancelled)
        let known = try site.consented()
        let start = try known.get(Browser.authorize(["state": "s"]))
        let page = try known.get(try #require(start["Location"]))
        #expect(try known.send(page, [("decision", "cancel")]).target == cancelled)
        let form = try stranger.get(Browser.authorize(Browser.everything))
        let exit = try stranger.send(form, [("decision", "cancel")])
        #expect(exit.action == TestTeams.callback)
        #expect(exit.value(of: "error") == "user_cancelled_authorize" && exit.value(of: "state") == "state-1")
        #expect(exit.value(of: "code") == nil)
    }

    @Test func `query and fragment leave by a refresh and a link to the same place`() throws {
        let browser = site.browser()
        let state = "a b&c=d+e%#/?ü\"<c>'"
        let query = try browser.consent(["state": state])
        let coded = "a%20b%26c%3Dd%2Be%25%23%2F%3F%C3%BC%22%3Cc%3E%27"
        let target = try #require(query.target)
        #expect(target.hasPrefix(TestTeams.callback + "?code=c") && target.hasSuffix("&state=" + coded))
        let shown = target.replacing("&", with: "&amp;")
        #expect(query.body.contains("href=\"\(shown)\"") || query.body.contains("href=\"\(target)\""))
        let fragment = try #require(try browser.confirm(["response_mode": "fragment", "state": state]).target)
        #expect(fragment.hasPrefix(TestTeams.callback + "#code=c") && fragment.hasSuffix("&state=" + coded))
        let own = try #require(try browser.confirm(["redirect_uri": TestTeams.queryCallback]).target)
        #expect(own.hasPrefix(TestTeams.queryCallback + "&code=c"))
    }

    @Test func `P15: a popup leaves by a message to its opener, which no header field parts it from`() throws {
        let popup = Browser.everything.merging(["response_mode": "web_message"]) { $1 }
        let exit = try site.browser().consent(popup)
        #expect(exit.status == 200 && exit.target == nil && exit.action == nil)
        #expect(exit.body.contains("data-origin=\"https://acme.example\""))
        #expect(exit.body.contains("{&quot;method&quot;:&quot;oauthDone&quot;,"))
        #expect(exit["Cross-Origin-Opener-Policy"] == nil)
        #expect(exit["Content-Security-Policy"]?.contains("script-src 'self';") == true)
    }

    @Test func `the app may say whom it expects`() throws {
        let browser = site.browser()
        let hint = "\"><b>ben@acme.example"
        let page = try browser.get(Browser.authorize(["login_hint": hint]))
        #expect(page.typed("email") == hint)
        let wrong = try browser.signIn(page, email: "ada@acme.example", password: "wrong")
        #expect(wrong.typed("email") == "ada@acme.example")
    }

    @Test func `a form leaves with its values as they were, whatever they are made of`() throws {
        let state = "\"><script>alert(1)</script>&amp;' ü\u{1F34F}"
        let exit = try site.browser().consent(Browser.everything.merging(["state": state]) { $1 })
        #expect(exit.value(of: "state") == state)
        #expect(!exit.body.contains("<script>alert"))
    }

    @Test func `P14: the exit page alone has no form-action, and no page has script or style of its own`() throws {
        let browser = site.browser()
        let signIn = try browser.get(Browser.authorize(Browser.everything))
        let sheet = try browser.signIn(signIn)
        let exit = try browser.send(sheet, [("email_choice", "share"), ("decision", "continue")])
        for page in [signIn, sheet] { #expect(page["Content-Security-Policy"]?.contains("form-action 'self'") == true) }
        #expect(exit["Content-Security-Policy"]?.contains("form-action") == false)
        for page in [signIn, sheet, exit] {
            let policy = try #require(page["Content-Security-Policy"])
            #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe"))
            #expect(page["X-Content-Type-Options"] == "nosniff" && page["Cache-Control"] == "no-store")
            // Without the origin browsers say nothing of where a form comes from, and ours are refused.
            #expect(page["Referrer-Policy"] == "same-origin")
            #expect(page["Permissions-Policy"]?.contains("camera=()") == true)
            #expect(!page.body.contains("<script>") && !page.body.contains("<style") && !page.body.contains(" style="))
        }
    }

    @Test func `a name that is none is pointed out, and what was typed is kept`() throws {
        let (browser, sheet) = try site.sheet(Browser.everything)
        for name in [String(repeating: "a", count: 101), "\u{202E}" + String(repeating: "ä", count: 101)] {
            let answer = try browser.send(sheet, [("given_name", name), ("decision", "continue")])
            #expect(answer.status == 422)
            #expect(answer.body.contains("field-given_name-error"))
        }
        let exit = try browser.send(sheet, [("given_name", "Ada"), ("decision", "continue")])
        #expect(exit.value(of: "code") != nil)
    }

    @Test func `a session that ended while the sheet was open leads back to the password`() throws {
        let (browser, sheet) = try site.sheet(Browser.everything)
        browser.forget(Browser.sessionCookie)
        let answer = try browser.follow(try browser.send(sheet, [("decision", "continue")]))
        #expect(answer.headline == "Sign in to Web of com.acme.app" && answer.value(of: "code") == nil)
    }

    @Test func `a session lasts by the server's one clock`() throws {
        let browser = try site.consented()
        site.clock.advance(by: .seconds(6 * 86_400))
        #expect(try browser.get(Browser.authorize()).status == 303)
        site.clock.advance(by: .seconds(7 * 86_400))
        let answer = try browser.get(Browser.authorize())
        #expect(answer.status == 200 && answer.headline == "Sign in to Web of com.acme.app")
    }
}
