import Core
import Crypto
import Testing

@testable import TestTeams

/// What ties a sign-in to one browser: security cases V5 and V23, form tokens, origins, cookies.
@Suite(.site) struct BrowserBindingTests {
    @Test func `V23: the address of a step is worth nothing in another browser`() throws {
        let victim = site.browser()
        let page = try victim.get(Browser.authorize())
        let sheet = try victim.signIn(page)
        let step = try #require(sheet.action)
        let interaction = step.replacing("/consent", with: "")
        let thief = site.browser()
        for round in 0..<2 {
            #expect(try thief.get(interaction).status == 410)
            for path in ["/password", "/consent", "/confirmation"] {
                let csrf = try #require(sheet.value(of: "csrf"))
                let answer = try thief.post(interaction + path, [("csrf", csrf), ("decision", "continue")])
                #expect(answer.status == 410 && answer.value(of: "code") == nil)
                #expect(answer.headline == (round == 0 ? "Your browser sent no cookie" : "This sign-in is over"))
            }
            // The second time with a browser cookie, and a session, of their own.
            if round == 0 { _ = try thief.consent() }
        }
        #expect(try victim.send(sheet, [("decision", "continue")]).status == 200)
    }

    @Test func `V23: a step belongs to its team`() throws {
        let (browser, sheet) = try site.sheet()
        let elsewhere = try #require(sheet.action).replacing("ACMETEAM01", with: "RIVALTEAM1")
        let csrf = try #require(sheet.value(of: "csrf"))
        #expect(try browser.post(elsewhere, [("csrf", csrf), ("decision", "continue")]).status == 410)
    }

    @Test func `the session's name changes at sign-in, and one that was planted is not taken over`() throws {
        let browser = site.browser()
        let planted = Base64URL.encode([UInt8](repeating: 7, count: 32))
        browser.keep(Browser.sessionCookie, planted)
        _ = try browser.signIn(try browser.get(Browser.authorize()))
        let first = try #require(browser.cookies[Browser.sessionCookie])
        #expect(first != planted)
        let page = try browser.get(try #require(try browser.get(Browser.authorize())["Location"]))
        let switched = try browser.send(page, [("decision", "continue")])
        #expect(switched.target != nil)
        let start = try browser.get(try #require(try browser.get(Browser.authorize())["Location"]))
        _ = try browser.signIn(try browser.follow(try browser.send(start, [("decision", "switch")])))
        let second = try #require(browser.cookies[Browser.sessionCookie])
        #expect(second != first)
        // The session before ended with the sign-in.
        browser.keep(Browser.sessionCookie, first)
        #expect(try browser.get(Browser.authorize()).status == 200)
    }

    @Test func `V5: cookies are of this host, hidden from script, lax, and hold nothing but names`() throws {
        let browser = try site.consented()
        #expect(browser.setCookies.count == 3)
        for cookie in browser.setCookies {
            #expect(cookie.hasPrefix("__Host-pippin-"))
            for attribute in ["; Path=/", "; Secure", "; HttpOnly", "; SameSite=Lax"] {
                #expect(cookie.contains(attribute))
            }
            #expect(!cookie.contains("Domain"))
            for secret in ["state-1", "nonce-1", "com.acme", "ada", "callback"] { #expect(!cookie.contains(secret)) }
        }
    }

    @Test func `signing out ends the session on the server, not in the browser alone`() throws {
        let browser = try site.consented()
        let token = try #require(browser.cookies[Browser.sessionCookie])
        let page = try browser.get(Browser.account)
        #expect(page.body.contains("ada@acme.example"))
        let answer = try browser.send(page, [])
        #expect(answer.status == 200 && browser.cookies[Browser.sessionCookie] == nil)
        browser.keep(Browser.sessionCookie, token)
        #expect(try browser.get(Browser.account).status == 303)
    }

    @Test func `V33: garbage in cookies and forms is a stranger's, never an error of ours`() throws {
        let (browser, sheet) = try site.sheet()
        let action = try #require(sheet.action)
        for body in ["csrf=%zz", "%", "a=%ff%fe", "csrf=%00", "=&=&", String(repeating: "a=b&", count: 500)] {
            let fields =
                [TestSite.form] + ["Cookie: \(Browser.browserCookie)=\(browser.cookies[Browser.browserCookie] ?? "")"]
            for path in [action, Browser.account + "/session", Browser.account + "/session/end"] {
                let answer = try site.ask("POST", path, fields, body: body)
                #expect((400..<500).contains(answer.status), "\(path) \(body.prefix(20)): \(answer.status)")
            }
        }
        for value in ["", "x", "%00", String(repeating: "A", count: 5000), "\"quoted\"", "a=b=c", "ü"] {
            let cookie = "Cookie: \(Browser.browserCookie)=\(value); \(Browser.sessionCookie)=\(value)"
            let answer = try site.ask("GET", Browser.authorize(), [cookie])
            #expect(answer.status == 200, "\(value.prefix(20))")
        }
        let next = try site.ask("GET", Browser.account + "/session?next=%zz")
        #expect((400..<500).contains(next.status))
    }
}
