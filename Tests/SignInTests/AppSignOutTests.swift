import Core
import Platform
import Testing

@testable import TestTeams

/// An app that signs somebody out: the next visit of that browser asks who it is.
@Suite(.site) struct `The sign-out of an app` {
    private static let page = "Sign in to Web of com.acme.app"

    /// A browser in which Ada has just signed in to the app, and the app's refresh token.
    private func signIn(_ client: ClientID = .web) throws -> (browser: Browser, token: String) {
        site.clock.advance(by: .seconds(60))
        let browser = site.browser()
        let exit = try browser.consent(client: client)
        let code = try #require(exit.value(of: "code"))
        let answer = try site.post("/t/ACMETEAM01/auth/token", try site.redemption(of: code, client: client))
        return (browser, try #require(answer.json["refresh_token"]?.string))
    }

    private func signOut(_ form: [String: String?]) throws {
        #expect(try site.client("sign-out", form.merging(["sub": site.ada]) { $1 }).status == 200)
    }

    /// Whether the browser is still known at the team's pages.
    private func isSignedIn(_ browser: Browser) throws -> Bool { try browser.get(Browser.account).status == 200 }

    @Test func `ends the session of the browser that the token came from, and no other`() throws {
        let (laptop, phone) = (try signIn(), try signIn())
        try signOut(["refresh_token": laptop.token])
        #expect(try !isSignedIn(laptop.browser) && isSignedIn(phone.browser))
        #expect(try laptop.browser.get(Browser.authorize()).headline == Self.page)
        #expect(try site.isAlive(phone.token))
        // What was asked once is not asked again.
        let again = try laptop.browser.signIn(try laptop.browser.get(Browser.authorize()))
        #expect(again.body.contains("Continue as Ada"))
    }

    @Test func `ends a session whose token was renewed or proved anew since`() throws {
        let (browser, token) = try signIn()
        try site.admin("UPDATE sessions SET token_hash = sha256(token_hash), proved_at = now()")
        try signOut(["refresh_token": token])
        #expect(try site.count("sessions", in: .acme) == 0)
        #expect(try !isSignedIn(browser))
    }

    @Test func `of everywhere ends all that the app's tokens came from`() throws {
        let (laptop, phone, other) = (try signIn(), try signIn(), try signIn(.otherWeb))
        try signOut([:])
        #expect(try !isSignedIn(laptop.browser) && !isSignedIn(phone.browser))
        #expect(try isSignedIn(other.browser), "another group's app signed that one in")
    }

    @Test func `ends nothing by a token of somebody else, of another group or another team`() throws {
        let (browser, token) = try signIn()
        let other = try signIn(.otherWeb)
        try signOut(["refresh_token": other.token])
        #expect(
            try site.client("sign-out", ["sub": site.teams.people.ben.rawValue, "refresh_token": token]).status == 200)
        let rival: [String: String?] = [
            "client_id": ClientID.web.rawValue, "client_secret": try site.teams.secret(in: .rival), "sub": site.ada,
            "refresh_token": token,
        ]
        #expect(try site.post("/t/RIVALTEAM1/auth/sign-out", rival).status == 200)
        #expect(try isSignedIn(browser) && isSignedIn(other.browser) && site.isAlive(token))
    }
}
