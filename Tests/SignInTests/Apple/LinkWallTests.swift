import Core
import Platform
import Simulator
import Testing

@testable import SignIn
@testable import TestTeams

/// What binds the connecting of an account to team, person, session and browser.
@Suite(.apple) struct `An upstream request to connect Apple` {
    @Test func `V18: begun in one person's session connects nothing in another's`() throws {
        let browser = try site.signedIn()
        let back = try browser.connectUntilBack(.regular)
        _ = try browser.send(try browser.get(Browser.account).form(to: "/session/end"))
        try browser.openOwnPage(as: "ben@acme.example")

        let page = try browser.get(back)
        #expect(page.status == 409 && page.headline == "Nothing was connected")
        #expect(try site.identities().isEmpty && site.tokenStates().isEmpty)
        // It is used up: Ada's own session finds nothing any more.
        try browser.openOwnPage()
        #expect(try browser.get(back).status == 410)
        #expect(try site.identities().isEmpty)
    }

    @Test func `V18: connects nothing in a later session of the same person, or in none`() throws {
        for staysOut in [true, false] {
            let browser = try site.signedIn()
            let back = try browser.connectUntilBack(.regular)
            _ = try browser.send(try browser.get(Browser.account).form(to: "/session/end"))
            if !staysOut { try browser.openOwnPage() }
            #expect(try browser.get(back).status == 409)
        }
        #expect(try site.identities().isEmpty)
    }

    @Test func `V18: is another browser's no more than another person's`() throws {
        let victim = try site.signedIn()
        let thief = try site.signedIn(as: "ben@acme.example")
        // A thief who set out, and has the victim's browser come back for them.
        let planted = try thief.connectUntilBack(.hidden)
        #expect(try victim.get(planted).status == 410)
        // A thief who knows where the victim comes back: that ends it for both.
        for other in [thief, site.browser()] {
            let back = try victim.connectUntilBack(.regular)
            #expect(try other.get(back).status == 410)
            #expect(try victim.get(back).status == 410)
        }
        #expect(try site.identities().isEmpty)
        // A thief who knows the state alone.
        let back = try victim.connectUntilBack(.regular)
        let state = try #require(back.split(separator: "&receipt=").first)
        #expect(try thief.get(String(state)).status == 410)
        #expect(try site.identities().isEmpty)
        #expect(try victim.follow(try victim.get(back)).body.contains("Apple is connected"))
    }

    @Test func `V20: connects once, however often it comes back`() throws {
        let browser = try site.signedIn()
        let exit = try browser.choose(.regular, on: try browser.setOutToConnect())
        let back = try browser.postBack(exit)
        #expect(try browser.get(back).status == 303)
        _ = try browser.disconnect()

        #expect(try browser.get(back).status == 410)
        #expect(try browser.get(try browser.postBack(exit)).status == 410)
        #expect(try site.identities().isEmpty)
    }

    @Test func `is not another team's`() throws {
        try site.setIdentitySources("directory,apple", of: .rival)
        let browser = try site.signedIn()
        let back = try browser.connectUntilBack(.regular)
        let rival = back.replacing("ACMETEAM01", with: "RIVALTEAM1")
        #expect(try browser.get(rival).status == 410)
        #expect(try site.identities().isEmpty)
        // Rival's Ada has nothing to do with Acme's, and Rival no connection to Apple.
        let page = try browser.get(Browser.account)
        let csrf = try #require(page.value(of: "csrf"))
        let session = try #require(browser.cookies[Browser.sessionCookie])
        browser.keep("__Host-pippin-RIVALTEAM1", session)
        #expect(try browser.post("/t/RIVALTEAM1/account/apple", [("csrf", csrf)]).status == 303)
        #expect(try browser.get(back).status == 303)
        #expect(try site.identities().map { $0[1] } == [site.ada])
    }

    @Test func `is no sign-in, nor a sign-in one of these`() throws {
        let browser = try site.signedIn()
        // Somebody who signs in to an app at Apple in this browser is not connected to whose page is open.
        let start = try #require(try browser.get(Browser.authorize(Browser.everything))["Location"])
        let page = try browser.goOnToApple("\(start)/apple")
        let exit = try browser.get(try browser.postBack(try browser.choose(.regular, on: page)))
        #expect(try site.claims(of: exit)["sub"]?.string == Performer.regular.subject.rawValue)
        #expect(try site.identities().map { $0[1] } == [Performer.regular.subject.rawValue])
        let back = try browser.connectUntilBack(.hidden)
        #expect(try browser.get(back)["Location"] == Browser.account)
        #expect(try site.admin("SELECT FROM authorization_codes WHERE sub = $1", site.ada).isEmpty)
    }

    @Test func `is forgotten where nobody comes back: nobody is made of it`() async throws {
        let browser = try site.signedIn()
        _ = try browser.connectUntilBack(.regular)
        site.clock.advance(by: .seconds(300))
        try await site.withProcess { try await $0.settle() }
        #expect(try site.identities().isEmpty)
        #expect(try site.count("users", of: Performer.regular.subject, in: .acme) == 0)
    }

    @Test func `wants a recent proof and a form of ours`() throws {
        let browser = site.browser()
        let page = try browser.openOwnPage()
        let path = "\(Browser.account)/apple"
        #expect(try browser.post(path, []).status == 403)
        site.clock.advance(by: .seconds(601))
        let detour = try browser.send(try page.form(to: "/account/apple"))
        #expect(detour["Location"] == "\(Browser.account)/proof?next=%2Ft%2FACMETEAM01%2Faccount")
        #expect(try site.count("upstream_requests") == 0)
    }

    @Test(arguments: ["directory", "apple"]) func `wants a team with both sources`(sources: String) throws {
        let browser = site.browser()
        let page = try browser.openOwnPage()
        try site.setIdentitySources(sources)
        site.clock.advance(by: .seconds(2))
        let csrf = try #require(page.value(of: "csrf"))
        #expect(try browser.post("\(Browser.account)/apple", [("csrf", csrf)]).status == 404)
        #expect(try !browser.get(Browser.account).body.contains("Connect Apple"))
    }
}
