import Core
import Platform
import Simulator
import Testing

@testable import SignIn
@testable import TestTeams

/// What a sign-in was begun with is what it ends with: security cases V4, V35 and V37.
@Suite struct TraceIntegrityTests {
    /// What a person, or somebody between, might add to the forms of a sign-in.
    private static let forged = [
        ("response_type", "code id_token"), ("response_mode", "query"), ("scope", "openid"),
        ("redirect_uri", "https://evil.example/"), ("client_id", "com.acme.other.web"), ("state", "evil"),
        ("nonce", "evil"), ("code_challenge", "evil"), ("sub", "evil"), ("app_id", "com.acme.evil"),
    ]
    /// What may happen to an app while somebody signs in to it.
    private static let ends = [
        "UPDATE app_ids SET is_enabled = false WHERE team_id = 'ACMETEAM01'",
        "DELETE FROM return_urls WHERE team_id = 'ACMETEAM01'",
    ]

    @Test(.site) func `V4: no step takes from the browser again what the sign-in was begun with`() throws {
        let browser = site.browser()
        let page = try browser.get(Browser.authorize(Browser.everything))
        let proof = [("email", "ada@acme.example"), ("password", People.password), ("decision", "continue")]
        let sheet = try browser.follow(try browser.send(page, proof + Self.forged))
        let choice = [("email_choice", "share"), ("decision", "continue")]
        let exit = try browser.send(sheet, choice + Self.forged)
        #expect(exit.action == TestTeams.callback && exit.value(of: "state") == "state-1")
        #expect(exit.value(of: "id_token") == nil && exit.value(of: "user") != nil)
        #expect(!exit.text.contains("evil"))
        let tokens = try site.redeem(exit).json
        let claims = try Self.payload(try #require(tokens["id_token"]?.string))
        #expect(claims["nonce"] == "nonce-1" && claims["aud"] == "com.acme.web")
    }

    @Test(.site) func `V4: the address of a step adds nothing to the sign-in either`() throws {
        let (browser, sheet) = try site.sheet(Browser.everything)
        let action = try #require(sheet.action)
        let csrf = try #require(sheet.value(of: "csrf"))
        let query = FormCoding.encode(Self.forged.map { (name: $0.0, value: $0.1) })
        let exit = try browser.post("\(action)?\(query)", [("csrf", csrf), ("decision", "continue")])
        #expect(exit.action == TestTeams.callback && exit.value(of: "id_token") == nil)
        #expect(!exit.text.contains("evil"))
    }

    @Test(.site) func `V37: what else an app sends goes nowhere but into the line for the name`() throws {
        let extra: [String: String?] = [
            "login_hint": "evil@acme.example", "acr_values": "evil", "claims": "evil", "prompt": "evil",
            "frame_id": "evil", "id_token_hint": "evil", "max_age": "evil", "user": "evil",
        ]
        let browser = site.browser()
        let page = try browser.get(Browser.authorize(Browser.everything.merging(extra) { $1 }))
        #expect(page.typed("email") == "evil@acme.example")
        #expect(page.text.matches(of: /evil/).count == 1)
        let exit = try browser.send(try browser.signIn(page), [("email_choice", "share"), ("decision", "continue")])
        #expect(exit.action == TestTeams.callback && exit.value(of: "code") != nil)
        #expect(!exit.text.contains("evil"))
        let mode: [String: String?] = ["state": "s"]
        let target = try browser.confirm(mode.merging(extra) { $1 }).target
        let pattern = /https:\/\/acme\.example\/callback\?code=[^&]+&state=s/
        #expect(try #require(target).wholeMatch(of: pattern) != nil)
    }

    @Test(.site, arguments: ends)
    func `V45: an app that was switched off, or has lost the return URL, gets no code of a sign-in under way`(
        change: String
    ) throws {
        let (browser, sheet) = try site.sheet(Browser.everything)
        #expect(sheet.status == 200)
        try site.admin(change)
        #expect(try browser.send(sheet, [("decision", "continue")]).status == 410)
        #expect(try site.count("authorization_codes") == 0)
    }

    @Test(.apple, arguments: ends) func `V45: nor one of a sign-in that comes back from Apple`(change: String) throws {
        let browser = site.browser()
        let exit = try browser.choose(.regular, on: try browser.goToApple())
        let back = try browser.postBack(exit)
        try site.admin(change)
        #expect(try browser.get(back).status == 410)
        #expect(try site.count("authorization_codes", in: .acme) == 0)
        #expect(try site.tokenStates().isEmpty)
    }

    @Test(.site) func `V35: the name of the host decides nothing, however it is written`() throws {
        let path = "/t/ACMETEAM01/.well-known/openid-configuration"
        let expected = try site.ask("GET", path).body
        let hosts = [
            "PIPPIN.EXAMPLE", "Pippin.Example:443", "pippin.example.", "RIVALTEAM1.pippin.example", "rival.example",
            "[::1]",
        ]
        for host in hosts {
            let answer = try site.ask("GET", path, ["Host: \(host)"])
            #expect(answer.status == 200 && answer.body == expected, "\(host)")
            let page = try site.ask("GET", Browser.authorize(), ["Host: \(host)"])
            #expect(page.status == 200 && !page.text.contains(host), "\(host)")
        }
        for team in ["acmeteam01", "AcmeTeam01"] {
            #expect(try site.ask("GET", path.replacing("ACMETEAM01", with: team)).status == 404)
        }
    }

    /// `social-auth-core` un-quotes the whole query before it redirects (`backends/oauth.py`, `auth_url`).
    @Test(.site) func `P9: a return URL that comes un-quoted is the one that is registered`() throws {
        let browser = site.browser()
        let query = [
            "client_id=com.acme.web", "redirect_uri=\(TestTeams.queryCallback)", "state=s", "response_type=code",
            "scope=name%20email", "response_mode=form_post",
        ]
        #expect(TestTeams.queryCallback.contains("?"))
        let page = try browser.get("/t/ACMETEAM01/auth/authorize?" + query.joined(separator: "&"))
        #expect(page.status == 200)
        let exit = try browser.send(try browser.signIn(page), [("email_choice", "share"), ("decision", "continue")])
        #expect(exit.action == TestTeams.queryCallback && exit.value(of: "state") == "s")
    }

    private static func payload(_ token: String) throws -> JSONValue {
        let parts = token.split(separator: ".")
        return try JSON.decode(JSONValue.self, from: try #require(Base64URL.decode(String(parts[1]))))
    }
}
