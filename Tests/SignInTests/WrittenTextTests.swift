import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// Names and addresses as Apple gives them.
@Suite(.apple) struct `What Apple says once` {
    @Test(arguments: [
        (#""firstName":"Zoë\u202c","lastName":"Müller""#, "Zoë", "Müller"),
        (#""firstName":"Zoë","lastName":"Mül\u2069ler""#, "Zoë", "Müller"),
        (#""firstName":"Zoë","lastName":"Mül\tler""#, "Zoë", "Mül ler"),
        (
            #""firstName":"\#(String(repeating: "a", count: 101))","lastName":"Müller""#,
            String(repeating: "a", count: 100), "Müller"
        ), (#""firstName":"\u202a","lastName":"Müller""#, "", "Müller"),
        ("\"firstName\":\"Zoë\\ud83d\",\"lastName\":\"Mül\tler\"", "Zoë\u{FFFD}", "Mül ler"),
    ]) func `is cleaned and kept, not thrown away`(name: String, given: String, family: String) throws {
        let browser = site.browser()
        let answer = try browser.choose(.regular, on: try browser.goToApple())
        let user = #"{"name":{\#(name)},"email":"rita@icloud.example"}"#

        let exit = try browser.get(try browser.postBack(answer, changing: ["user": user]))
        #expect(exit.user?["name"] == ["firstName": .string(given), "lastName": .string(family)])
        let tokens = try site.redeem(exit)
        let info = try site.userinfo(tokens)
        #expect((info["given_name"]?.string ?? "").isExactly(given) && info["family_name"]?.string == family)
        // The vault keeps what came.
        let vault = try site.admin("SELECT form_given_name FROM upstream_identities WHERE team_id = 'ACMETEAM01'")
        #expect(try vault[0][0] == JSON.object(repairing: Array(user.utf8))["name"]?["firstName"]?.string)
    }

    @Test func `is cleaned and kept where a native app hands it over`() throws {
        let given = try site.device(.regular).merging([
            "first_name": "\u{202A}Zoë\u{202C}", "last_name": "M\u{2028}" + String(repeating: "ü", count: 150),
        ]) { $1 }
        let name = try site.handOver(given).json["user"]?["name"]
        #expect(name?["firstName"]?.string == "Zoë")
        #expect(name?["lastName"]?.string == "M " + String(repeating: "ü", count: 98))
    }

    @Test(arguments: [
        "taro..yamada@docomo.ne.jp", "hanako.@docomo.ne.jp", "\"a b\"@icloud.example", "ö@icloud.example",
    ]) func `is passed on where nothing could be mailed to it`(address: String) throws {
        try site.admin(
            "UPDATE users SET email = $1 WHERE team_id = $2 AND email = 'rita@icloud.example'", address,
            TeamID.appleSide.rawValue)

        let exit = try site.browser().signInAtApple(.regular)
        let tokens = try site.redeem(exit)
        let claims = try site.claims(tokens)
        #expect(exit.user?["email"]?.string == address)
        #expect(claims["email"]?.string == address && claims["email_verified"] == true)
        #expect(try site.userinfo(tokens)["email"]?.string == address)
        // The second sign-in finds the same person, and mails nothing.
        let again = try site.redeem(try site.browser().signInAtApple(.regular))
        #expect(try site.claims(again)["sub"] == claims["sub"] && site.claims(again)["email"]?.string == address)
        #expect(try site.handOver(try site.device(.regular)).json["is_new_user"] == false)
        #expect(try site.mails().isEmpty)
    }
}

/// What people write into the pages.
@Suite(.site) struct `What people write` {
    @Test(
        arguments: [
            (["locale": "zh-CN"], "zh", true), (["locale": "ja"], "en", true), (["ui_locales": "ko-KR en"], "en", true),
            (["locale": "hu_HU"], "de", true), (["locale": "en_US"], "ja", false), ([:], "ja,en;q=0.8", true),
            ([:], "zh-TW", true), ([:], "en", false), (["locale": "de"], "zh", false), ([:], "jam", false),
        ] as [([String: String?], String, Bool)]) func `has the family name first where it is`(
            changes: [String: String?], accepted: String, isFirst: Bool
        ) throws
    {
        let browser = site.browser()
        let language = ["Accept-Language: \(accepted)"]
        let page = try browser.get(Browser.authorize(Browser.everything.merging(changes) { $1 }), language)
        let form = try browser.get(try #require(page.link("/registration")))
        let sheet = try browser.signIn(page)
        for body in [form.body, sheet.body] {
            let given = try #require(body.firstRange(of: "name=\"given_name\""))
            let family = try #require(body.firstRange(of: "name=\"family_name\""))
            #expect((family.lowerBound < given.lowerBound) == isFirst)
        }
    }

    @Test func `shows a name as its script has it, whatever the language of the page`() throws {
        try site.admin("UPDATE users SET given_name = '小明', family_name = '王' WHERE email = 'ada@acme.example'")
        let browser = site.browser()
        let sheet = try browser.signIn(try browser.get(Browser.authorize(Browser.everything)))
        #expect(sheet.body.contains("<strong>王小明</strong>"))
        let exit = try browser.send(
            sheet, [("given_name", "小明"), ("family_name", "王"), ("email_choice", "share"), ("decision", "continue")])
        #expect(try site.userinfo(try site.redeem(exit))["name"]?.string == "王小明")
        #expect(try browser.get(Browser.account).body.contains("王小明"))
    }

    @Test(arguments: [("münchen.example", "xn--mnchen-3ya.example"), ("XN--MNCHEN-3YA.example", "MÜNCHEN.example")])
    func `is one address in both spellings of its domain`(domain: String, other: String) throws {
        let browser = site.browser()
        let page = try browser.get(Browser.authorize(Browser.everything))
        let form = try browser.get(try #require(page.link("/registration")))
        // WebKit refuses it in a field of type email.
        #expect(!form.body.contains("type=\"email\"") && form.typed("email") == "")
        let person = [("given_name", "Dora"), ("family_name", "Maar"), ("new", "Gru\u{308}nkohl-Teller-7")]
        let sent = try browser.send(form, [("email", "dora@\(domain) ")] + person)
        #expect(sent.status == 200 && sent.body.contains("dora@\(domain)"))
        let sheet = try browser.follow(try browser.send(try browser.get(try site.link()), []))
        #expect(sheet.body.contains("dora@münchen.example"))
        #expect(try site.mails().map { $0.recipient.rawValue.lowercased() } == ["dora@xn--mnchen-3ya.example"])

        // The password as another keyboard writes it.
        for address in ["dora@\(domain)", "Dora@\(other)"] {
            let elsewhere = site.browser()
            let signedIn = try elsewhere.signIn(
                try elsewhere.get(Browser.authorize()), email: address, password: "Gr\u{FC}nkohl-Teller-7")
            #expect(signedIn.headline == "Continue to Web of com.acme.app", "\(address)")
        }
        // A second account of that address is none.
        let stranger = site.browser()
        let start = try stranger.get(Browser.authorize(Browser.everything))
        _ = try stranger.send(
            try stranger.get(try #require(start.link("/registration"))), [("email", "dora@\(other)")] + person)
        #expect(try site.mails().last?.message.name == "plain")
        let answer = try stranger.send(
            try stranger.get(try #require(start.link("/registration"))), [("email", "dorä@\(other)")] + person)
        #expect(answer.status == 422 && answer.typed("email") == "dorä@\(other)")
    }
}

extension TestSite {
    /// What userinfo says to the access token of these tokens.
    func userinfo(_ tokens: Answer) throws -> [String: JSONValue] {
        let token = try #require(tokens.json["access_token"]?.string)
        let answer = try ask("GET", "/t/ACMETEAM01/auth/userinfo", ["Authorization: Bearer \(token)"])
        return try JSON.object(Array(answer.body.utf8))
    }
}
