import Testing

@testable import TestTeams

/// Who ends a mailed link, and what its page says then.
@Suite(.site) struct `A mailed link that is void` {
    private static let ada = "ada@acme.example"
    private static let dora = "dora@acme.example"

    /// The page says why, and what it offers works.
    private func expect(
        _ page: Answer, _ status: Int, _ headline: String, leadsTo way: String, in browser: Browser, _ kind: String = ""
    ) throws {
        #expect(page.status == status && page.headline == headline, "\(kind): \(page.headline ?? "")")
        let next = try browser.get(try #require(page.link(way), "\(kind) leads nowhere"))
        #expect(try browser.follow(browser.follow(next)).status == 200, "\(kind)")
    }

    @Test(arguments: [false, true])
    func `V70: is so by its owner alone, and once it was used no other of its kind is good`(signsIn: Bool) throws {
        let (owner, stranger) = (site.browser(), site.browser(from: 2))
        _ = try owner.askForHelp(Self.ada, link: signsIn)
        let own = try site.link()
        _ = try stranger.askForHelp(Self.ada, link: signsIn)
        let other = try site.link()

        let page = try owner.get(own)
        #expect(page.status == 200)
        #expect(try owner.send(page, [("new", "a wholly other secret")]).status == (signsIn ? 303 : 200))

        for (browser, link) in [(stranger, other), (owner, own)] {
            try expect(
                try browser.get(link), 410, "This link no longer works", leadsTo: "/account/session", in: browser)
        }
    }

    @Test func `V70: is never so by a question for another kind, or for the same address at another team`() throws {
        let (owner, stranger) = (site.browser(), site.browser(from: 2))
        _ = try owner.register(Self.dora, password: "a password of hers")
        let registration = try site.link()
        _ = try stranger.register(Self.dora, password: "a password of theirs")
        _ = try owner.askForHelp(Self.ada, link: false)
        let password = try site.link()
        _ = try stranger.askForHelp(Self.ada, link: true)

        #expect(try owner.get(registration).headline == "Is this your address?")
        #expect(try owner.get(password).headline == "Choose a new password")
    }

    @Test func `V70: says so for every kind, and leads to where another is asked for`() throws {
        let browser = site.browser()
        for kind in ["account", "password", "sign-in", "email", "invitation"] {
            let page = try browser.get("/t/ACMETEAM01/links/\(kind)/\(String(repeating: "A", count: 43))")
            let isInvitation = kind == "invitation"
            try expect(
                page, 410, "This \(isInvitation ? "invitation" : "link") no longer works",
                leadsTo: kind == "email" ? "/account/email" : "/account/session", in: browser, kind)
        }
    }

    @Test func `V70: says that the address has an account by now`() throws {
        let (owner, stranger) = (site.browser(), site.browser(from: 2))
        _ = try stranger.register(Self.dora, password: "a password of theirs")
        let other = try site.link()
        _ = try owner.register(Self.dora, password: "a password of hers")
        #expect(try owner.send(try owner.get(try site.link()), []).status == 303)

        let page = try owner.send(try owner.get(other), [("given_name", "Dora"), ("new", "a wholly other secret")])
        try expect(page, 200, "You have an account", leadsTo: "/account/session", in: owner)
    }

    @Test func `V70: says that the address is another account's by now`() throws {
        let browser = try site.signedIn()
        _ = try browser.send(
            try browser.get(Browser.account + "/email"), [("email", Self.dora), ("current", People.password)])
        let form = try browser.get(try site.link())
        let dora = site.browser(from: 2)
        _ = try dora.register(Self.dora, password: "a password of hers")
        #expect(try dora.send(try dora.get(try site.link()), []).status == 303)

        let page = try browser.send(form, [])
        try expect(page, 409, "This address is in use", leadsTo: "/account/email", in: browser)
    }

    @Test func `V70: says that the team takes nobody new any more`() throws {
        let browser = site.browser()
        _ = try browser.register(Self.dora, password: "a password of hers")
        try site.setRegistration("off")
        site.clock.advance(by: .seconds(2))
        let page = try browser.get(try site.link())
        try expect(page, 404, "New accounts are closed", leadsTo: "/account/session", in: browser)
    }
}
