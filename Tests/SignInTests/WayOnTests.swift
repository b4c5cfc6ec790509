import Core
import Crypto
import HTTP
import Testing

@testable import SignIn
@testable import TestTeams

/// Forms that cannot be taken: their pages say what was seen, and lead to where it goes on.
@Suite(.site) struct WayOnTests {
    @Test func `V80: a form is ours by what the browser says of it`() {
        let own = "https://id.example"
        let origins = [nil, own, "null", "", "https://other.example", "http://id.example", "https://id.example:8443"]
        let sites = [nil, "none", "same-origin", "same-site", "cross-site", "", "Same-Origin", "null"]
        var taken: [String] = []
        for origin in origins {
            for site in sites where Site.isOwn(origin: origin, site: site, at: own) {
                taken.append("\(origin ?? "-") \(site ?? "-")")
            }
        }
        #expect(
            taken == [
                "- -", "- none", "- same-origin", "\(own) -", "\(own) none", "\(own) same-origin", "null same-origin",
            ])
    }

    @Test func `V80: a page that hides its address signs in where the browser vouches for it`() throws {
        let browser = site.browser()
        let page = try browser.get(Browser.authorize())
        let typed = [("email", "ada@acme.example"), ("password", People.password), ("decision", "continue")]
        for field in ["Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"] {
            #expect(try browser.send(page, typed, ["Origin: null", field]).status == 403, "\(field)")
        }
        let sheet = try browser.follow(try browser.send(page, typed, ["Origin: null", "Sec-Fetch-Site: same-origin"]))
        #expect(sheet.headline == "Continue to Web of com.acme.app")
    }

    /// Every form of a sign-in to an app, each on a page of its own browser.
    private func forms() async throws -> [(browser: Browser, page: Answer)] {
        let steps: [(Browser) throws -> Answer] = [
            { try $0.get(Browser.authorize(Browser.everything)) },
            { try $0.get(try #require(try $0.get(Browser.authorize(Browser.everything)).link("/registration"))) },
            { try $0.get(try #require(try $0.get(Browser.authorize(Browser.everything)).link("/recovery"))) },
            { try $0.signIn(try $0.get(Browser.authorize(Browser.everything))) },
            {
                _ = try $0.consent()
                return try $0.get(try #require(try $0.get(Browser.authorize(Browser.everything))["Location"]))
            },
        ]
        var forms = try steps.map { step in
            let browser = site.browser()
            return (browser, try step(browser))
        }
        try await site.addTOTP()
        let browser = site.browser()
        forms.append((browser, try browser.typePassword(at: Browser.authorize(Browser.everything))))
        return forms
    }

    @Test func `V81: every form of a sign-in that is over leads to the same request anew`() async throws {
        let forms = try await forms()
        site.clock.advance(by: .seconds(16 * 60))
        for (browser, page) in forms {
            #expect(!page.forms.isEmpty)
            for form in page.forms {
                let late = try browser.post(form)
                #expect(late.status == 410 && late.headline == "This sign-in is over", "\(form.action)")
                let link = try #require(late.wayOn)
                #expect(link.hasPrefix("/t/ACMETEAM01/auth/authorize?") && link.contains("state=state-1"), "\(link)")
                #expect(try [200, 303].contains(browser.get(link).status))
            }
        }
    }

    @Test func `V81: what begins anew is what this server has sealed, for its team`() throws {
        let browser = site.browser()
        let form = try browser.get(Browser.authorize(Browser.everything)).form(to: "/password")
        let sealed = try #require(form.value(of: "restart"))
        for secret in ["state-1", "com.acme"] {
            #expect(!String(decoding: Base64URL.decode(sealed) ?? [], as: UTF8.self).contains(secret))
        }
        site.clock.advance(by: .seconds(16 * 60))
        let other = try browser.get("/t/RIVALTEAM1/account/session").form(to: "/password")
        site.clock.advance(by: .seconds(16 * 60))
        let spoilt = [sealed + "A", String(sealed.dropLast()), "", "https://evil.example/", "//evil.example/"]
        let tries = spoilt.map { (form.action, $0) } + [(other.action, sealed)]
        for (action, sealed) in tries {
            let late = try browser.post(form, to: action, restart: sealed)
            let home = action.hasPrefix("/t/RIVALTEAM1") ? "/t/RIVALTEAM1/account" : "/t/ACMETEAM01/account"
            #expect(late.status == 410 && late.wayOn == home, "\(action) \(sealed)")
        }
    }

    @Test func `V81: a sign-in to a page of this server leads back there, the console's too`() throws {
        for (team, next) in [
            ("ACMETEAM01", "/t/ACMETEAM01/account/email"), ("PIPPIN0000", "/console/ACMETEAM01/keys?q=a"),
        ] {
            let browser = site.browser()
            let query = FormCoding.encode([(name: "next", value: next)])
            let form = try browser.get("/t/\(team)/account/session?\(query)").form(to: "/password")
            site.clock.advance(by: .seconds(16 * 60))
            let late = try browser.post(form)
            #expect(late.status == 410 && late.body.contains("<p>Sign in again.</p>"))
            #expect(late.wayOn == "/t/\(team)/account/session?\(query)&ui_locales=en")
        }
    }

    @Test func `V82: without its cookie every form says so, and a sign-in begins anew`() async throws {
        for (browser, page) in try await forms() {
            browser.forget(Browser.browserCookie)
            for form in page.forms {
                let answer = try browser.post(form)
                #expect(answer.headline == "Your browser sent no cookie", "\(form.action)")
                #expect(answer.body.contains(TestTeams.publicURL) && answer.status == 410)
                #expect(answer.wayOn?.hasPrefix("/t/ACMETEAM01/auth/authorize?") == true)
            }
        }
    }

    @Test func `V83: from another name of the server every form names the right address, and leads there`() async throws
    {
        for (browser, page) in try await forms() {
            for form in page.forms {
                for fields in [
                    ["Origin: http://10.0.0.7:8080", "Host: 10.0.0.7:8080"],
                    ["Origin: https://second.example", "Host: second.example", "Sec-Fetch-Site: same-origin"],
                ] {
                    let answer = try browser.post(form, fields)
                    #expect(answer.status == 403 && answer.headline == "This form came from another address")
                    #expect(answer.body.contains(TestTeams.publicURL))
                    #expect(answer.wayOn?.hasPrefix("/t/ACMETEAM01/auth/authorize?") == true, "\(form.action)")
                }
            }
        }
    }

    @Test func `V83: a page that leads to a sign-in leads to the right address`() throws {
        let other = ["Host: 10.0.0.7:8080"]
        for path in ["/t/ACMETEAM01/account", "/t/ACMETEAM01/account/password", "/.well-known/change-password"] {
            let here = try #require(try site.browser().get(path)["Location"])
            #expect(here.hasPrefix("/"))
            #expect(try site.browser().get(path, other)["Location"] == TestTeams.publicURL + here)
        }
        // What backends call answers under any name.
        for path in ["/t/ACMETEAM01/auth/keys", "/t/ACMETEAM01/.well-known/openid-configuration"] {
            #expect(try site.browser().get(path, other).status == 200)
        }
    }
}

extension Browser {
    /// Sends a form with what it brings by itself.
    fileprivate func post(_ form: PageForm, to action: String? = nil, restart: String? = nil, _ fields: [String]? = nil)
        throws -> Answer
    {
        let hidden = ["csrf", "method"].compactMap { name in form.value(of: name).map { (name, $0) } }
        let restart = (restart ?? form.value(of: "restart")).map { [("restart", $0)] } ?? []
        return try post(action ?? form.action, hidden + restart + [("decision", "continue")], fields)
    }
}

extension Answer {
    /// Where an error page leads, below the public URL.
    fileprivate var wayOn: String? {
        body.firstMatch(between: "<a class=\"button button-primary button-wide\" href=\"", and: "\"").flatMap {
            let url = $0.replacing("&amp;", with: "&")
            return url.hasPrefix(TestTeams.publicURL) ? String(url.dropFirst(TestTeams.publicURL.utf8.count)) : nil
        }
    }
}
