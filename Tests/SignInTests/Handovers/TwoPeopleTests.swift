import Platform
import Testing

@testable import TestTeams

/// Two people, one after the other, in two tabs of one browser: what was shown to the first is decided by nobody else.
@Suite(.site) struct `Two people in one browser` {
    private static let ben = "ben@acme.example"

    @Test func `V40: a sheet that was shown to one is shown anew to the other`() throws {
        let (browser, sheet) = try site.sheet(Browser.everything)
        #expect(sheet.body.contains("ada@acme.example"))
        try browser.openOwnPage(as: Self.ben)

        let typed = [
            ("given_name", "Ada"), ("family_name", "King"), ("email_choice", "share"), ("decision", "continue"),
        ]
        let answer = try browser.send(sheet, typed)

        #expect(answer.status == 303 && answer.value(of: "code") == nil)
        #expect(try site.count("consents") == 0)
        #expect(try site.count("authorization_codes") == 0)
        let own = try browser.follow(answer)
        #expect(own.body.contains(Self.ben) && !own.body.contains("ada@acme.example"))
        let exit = try browser.send(own, [("email_choice", "hide"), ("decision", "continue")])
        #expect(exit.value(of: "code") != nil)
        let sub = "SELECT sub FROM consents WHERE hides_email"
        #expect(try site.admin(sub) == [[site.teams.people.ben.rawValue]])
    }

    @Test func `V40: a confirmation that was shown to one gives the app nobody else`() throws {
        let browser = try site.signedIn(as: Self.ben)
        _ = try browser.send(try browser.follow(try browser.get(Browser.authorize())), [("decision", "continue")])
        try browser.openOwnPage()
        _ = try browser.send(try browser.follow(try browser.get(Browser.authorize())), [("decision", "continue")])
        try site.admin("DELETE FROM authorization_codes")
        let page = try browser.follow(try browser.get(Browser.authorize()))
        #expect(page.action?.hasSuffix("/confirmation") == true)
        try browser.openOwnPage(as: Self.ben)

        let answer = try browser.send(page, [("decision", "continue")])

        #expect(answer.status == 303)
        #expect(try site.count("authorization_codes") == 0)
        let own = try browser.follow(answer)
        #expect(own.body.contains(Self.ben))
        #expect(try browser.send(own, [("decision", "continue")]).status == 200)
        let subs = try site.admin("SELECT sub FROM authorization_codes")
        #expect(subs == [[site.teams.people.ben.rawValue]])
    }

    @Test func `V40: the sheet of another sign-in decides nothing`() throws {
        let (browser, sheet) = try site.sheet(Browser.everything)
        let other = try browser.follow(try browser.get(Browser.authorize()))
        let csrf = try #require(sheet.value(of: "csrf"))
        let path = try #require(other.action)
        #expect(path != sheet.action)
        #expect(try browser.post(path, [("csrf", csrf), ("decision", "continue")]).status == 303)
        #expect(try site.count("consents") == 0)
    }

    @Test func `V40: forms of one's own page change nothing for the next who signs in`() throws {
        let browser = site.browser()
        let other = try site.signedIn(as: Self.ben)
        try browser.openOwnPage()
        let page = try browser.get(Browser.account)
        let csrf = try #require(page.value(of: "csrf"))
        try browser.openOwnPage(as: Self.ben)

        let answer = try browser.post(Browser.account + "/sessions/end", [("csrf", csrf)])

        #expect(answer["Location"] == Browser.account)
        #expect(try other.get(Browser.account).status == 200)
        let again = try #require(try browser.get(Browser.account).value(of: "csrf"))
        #expect(try browser.post(Browser.account + "/sessions/end", [("csrf", again)]).status == 303)
        #expect(try other.get(Browser.account).status == 303)
    }

    @Test func `V40: back again, the first decides on what was shown to them`() throws {
        let (browser, sheet) = try site.sheet(Browser.everything)
        try browser.openOwnPage(as: Self.ben)
        try browser.openOwnPage()
        let exit = try browser.send(sheet, [("email_choice", "share"), ("decision", "continue")])
        #expect(exit.value(of: "code") != nil)
        #expect(try site.admin("SELECT sub FROM consents") == [[site.ada]])
    }
}
