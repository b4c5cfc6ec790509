import Core
import Platform
import Simulator
import Testing

@testable import SignIn
@testable import TestTeams

/// What a team does not use is not there, whatever address is asked for it.
@Suite struct UnusedMethodTests {
    /// Every address of a form that belongs to pages of ours, as the routes are declared: one that is added is asked too.
    private func addresses(interaction: String, token: String) -> [String] {
        let shared = ["/consent", "/confirmation", "/factors/recovery-codes/file"]
        return site.posts.filter { path in
            ["/interactions/", "/links/", "/account/factors/", "/account/password", "/account/email"].contains {
                path.contains($0)
            } && !shared.contains { path.hasSuffix($0) }
        }.map {
            $0.replacing(":team", with: "ACMETEAM01").replacing(":interaction", with: interaction).replacing(
                ":token", with: token
            ).replacing(":passkey", with: Base64URL.encode([UInt8](repeating: 7, count: 32)))
        }
    }

    @Test(.apple) func `S15: a team with Apple alone has no passkey, password, factor, registration or mailed link`()
        throws
    {
        let browser = site.browser()
        let page = try browser.openOwnPage()
        let csrf = try #require(page.value(of: "csrf"))
        _ = try site.browser().register("dora@acme.example", password: "a password of hers")
        let token = try #require(try site.link().split(separator: "/").last)
        let step = try #require(try browser.get(Browser.authorize())["Location"])
        let interaction = try #require(step.split(separator: "/").last)
        try site.useAlone("apple")

        let posts = addresses(interaction: String(interaction), token: String(token))
        #expect(posts.count >= 18)
        for path in posts { #expect(try browser.post(path, [("csrf", csrf)]).status == 404, "POST \(path)") }
        let pages = ["/registration", "/recovery", "/password", "/email", "/totp", "/totp/new", "/passkeys"]
        for path in posts where path.contains("/links/") || pages.contains(where: path.hasSuffix) {
            let answer = try browser.get(path)
            #expect(answer.status == 404 || answer.status == 405, "GET \(path)")
        }
        #expect(try !browser.get(Browser.account).body.contains("/account/factors/"))
        #expect(try !browser.get(Browser.account).body.contains("/account/password"))
    }

    @Test(.apple) func `S15: a session of the directory skips nothing where people are asked at Apple alone`() throws {
        let browser = try site.consented()
        let start = try browser.get(Browser.authorize(Browser.everything))
        let step = try #require(start["Location"])
        let confirmation = try browser.get(step)
        try site.useAlone("apple")
        let away = try browser.get(step)
        #expect(away.status == 302 && away["Location"]?.contains("/apple/auth/authorize?") == true)
        let answer = try browser.send(confirmation, [("decision", "continue")])
        #expect(answer.status == 303 && answer.value(of: "code") == nil)
    }

    @Test(.apple) func `S15: a team with its directory alone sends nobody to Apple and takes nobody from there`() throws
    {
        let browser = site.browser()
        let page = try browser.get(Browser.authorize(Browser.everything))
        let apple = try #require(page.link("/apple"))
        let exit = try browser.choose(.regular, on: try browser.goOnToApple(apple))
        try site.useAlone("directory")
        #expect(try browser.get(apple).status == 404)
        // The name that Apple tells once is kept; nobody comes in by it.
        let back = try browser.postBack(exit)
        #expect(try browser.get(back).status == 400)
        try browser.openOwnPage()
        let csrf = try #require(try browser.get(Browser.account).value(of: "csrf"))
        #expect(try browser.post("\(Browser.account)/apple", [("csrf", csrf)]).status == 404)
        #expect(try site.codes().isEmpty)
        // Rival never had anything to do with Apple.
        let rival = Browser.callback.replacing("ACMETEAM01", with: "RIVALTEAM1")
        let form = [TestSite.form]
        #expect(try site.ask("POST", rival, form, body: "state=s&code=c").status == 404)
        #expect(try site.ask("GET", rival + "?state=s&receipt=r").status == 404)
    }

    @Test(.site) func `S15: where no second factor is wanted no passkey signs in, and none is added`() throws {
        let browser = try site.signedIn()
        let page = try browser.get("\(Browser.account)/session")
        let passkey = try page.form(to: "/passkey")
        let csrf = try #require(passkey.value(of: "csrf"))
        try site.require(.off)
        #expect(try browser.send(passkey).status == 404)
        #expect(!(try site.browser().get("\(Browser.account)/session").body.contains("data-passkey")))
        #expect(!(try browser.get(Browser.account).body.contains("factors-heading")))
        for path in ["/factors/passkeys", "/factors/totp", "/factors/totp/new"] {
            #expect(try browser.get(Browser.account + path).status == 404, "\(path)")
        }
        for path in ["/factors/passkeys", "/factors/totp/new", "/factors/totp/removal"] {
            #expect(try browser.post(Browser.account + path, [("csrf", csrf)]).status == 404, "\(path)")
        }
    }

    @Test(.site, arguments: ["invitation", "off"])
    func `S15: where nobody registers, a registration that was mailed before makes no account`(policy: String) throws {
        let browser = site.browser()
        _ = try browser.register("dora@acme.example", password: "a password of hers")
        let page = try browser.get(try site.link())
        try site.setRegistration(policy)
        site.clock.advance(by: .seconds(2))
        #expect(try browser.get(try site.link()).status == 404)
        #expect(try browser.send(page, []).status == 404)
        #expect(try site.users("dora@acme.example") == 0)
    }
}

extension TestSite {
    /// Has Acme's people prove who they are in these ways from now on.
    func useAlone(_ sources: String) throws {
        try teams.setIdentitySources(sources)
        teams.clock.advance(by: .seconds(2))
    }
}
