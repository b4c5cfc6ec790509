import Crypto
import Platform
import Testing

@testable import TestTeams

/// What a person sees when an app is not set up right, and how a sign-in may begin.
@Suite(.site) struct AuthorizePageTests {
    @Test func `a refused request shows a page with a reference and leads nowhere`() throws {
        let wrong: [[String: String?]] = [
            ["client_id": "com.acme.nobody"], ["client_id": nil], ["redirect_uri": "https://evil.example/"],
            ["redirect_uri": "https://acme.example@evil.example/callback"], ["redirect_uri": nil],
            ["redirect_uri": TestTeams.callback + "/"], ["response_type": "id_token"], ["scope": "name"],
            ["response_type": "code id_token", "response_mode": "query"],
            ["code_challenge": "x", "code_challenge_method": "plain"],
        ]
        for changes in wrong {
            let answer = try site.ask("GET", Browser.authorize(changes.merging(["state": "state-1"]) { $1 }))
            #expect(answer.status == 400 && answer["Location"] == nil, "\(changes)")
            #expect(answer["Content-Type"] == "text/html; charset=utf-8")
            #expect(answer.headline == "There’s a problem with this app’s sign-in setup")
            let reference = try #require(answer.reference)
            let lines = site.lines.all.filter { $0.contains(reference) }
            #expect(lines.count == 1 && lines.first?.contains("authorize.refused") == true)
            #expect(!answer.body.contains("evil.example") && !answer.body.contains("state-1"))
            #expect(answer["Set-Cookie"] == nil)
        }
    }

    @Test func `the team's log holds what was sent, and what it is nearest to`() throws {
        _ = try site.ask("GET", Browser.authorize(["redirect_uri": TestTeams.callback + "/"]))
        let line = try #require(site.lines.all.last { $0.contains("authorize.refused") })
        #expect(line.contains("trailingSlash") && line.contains("ACMETEAM01") && line.contains("invalid_request"))
    }

    @Test func `a sign-in may begin by POST from any site, and then goes on by cookie`() throws {
        let browser = site.browser()
        let form = [("client_id", "com.acme.web"), ("redirect_uri", TestTeams.callback), ("response_type", "code")]
        let answer = try browser.post("/t/ACMETEAM01/auth/authorize", form, ["Origin: https://acme.example"])
        // Without its Lax cookie a browser we know looks new, so the answer sets none: the GET tells.
        #expect(answer.status == 303 && answer["Set-Cookie"] == nil)
        let page = try browser.get(try #require(answer["Location"]))
        #expect(page.status == 200 && page.headline == "Sign in to Web of com.acme.app")
        let sheet = try browser.signIn(page)
        #expect(try browser.send(sheet, [("decision", "continue")]).target?.hasPrefix(TestTeams.callback) == true)
    }

    @Test func `P9: prompt and parameters nobody knows change nothing`() throws {
        for extra in [
            ["prompt": "none"], ["claims": "{}"], ["frame_id": "x", "m": "12", "v": "1.5.6"],
            ["approval_prompt": "force"],
        ] {
            let answer = try site.ask("GET", Browser.authorize(extra.mapValues { $0 }))
            #expect(answer.status == 200, "\(extra)")
        }
    }

    /// Security case V19.
    @Test func `V19: a forged Host or X-Forwarded-Host appears in no answer`() throws {
        let forged = [
            "Host: evil.example", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: gopher",
            "X-Forwarded-For: 192.0.2.66", "Forwarded: host=evil.example;proto=gopher", "X-Original-URL: /evil.example",
            "X-Rewrite-URL: /evil.example",
        ]
        let form = TestSite.form
        let paths = [
            "/t/ACMETEAM01/.well-known/openid-configuration", "/t/ACMETEAM01/auth/keys", Browser.authorize(),
            Browser.authorize(["client_id": "com.acme.nobody"]), Browser.account, "/nowhere",
            Browser.account + "/session", "/t/NOSUCHTEAM/auth/keys", "/t/ACMETEAM01/auth/token",
        ]
        for path in paths {
            let answer = try site.ask("GET", path, forged)
            #expect(!answer.text.contains("evil.example") && !answer.text.contains("gopher"), "\(path)")
        }
        let answer = try site.ask("POST", "/t/ACMETEAM01/auth/token", forged + [form], body: "a=b")
        #expect(!answer.text.contains("evil.example"))

        let browser = site.browser()
        let page = try browser.get(Browser.authorize(), forged)
        let sheet = try browser.signIn(page)
        let origin = ["Origin: \(TestTeams.publicURL)"]
        let exit = try browser.send(sheet, [("decision", "continue")], forged + origin)
        #expect(exit.target?.hasPrefix(TestTeams.callback) == true && !exit.text.contains("evil.example"))
        // Who says to be at evil.example is no page of ours, whatever the Host field says.
        let again = try browser.get(try #require(try browser.get(Browser.authorize())["Location"]))
        let foreign = forged + ["Origin: https://evil.example"]
        #expect(try browser.send(again, [("decision", "continue")], foreign).status == 403)
    }
}
