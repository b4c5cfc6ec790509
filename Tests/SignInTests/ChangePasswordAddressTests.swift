import Testing

/// Where a browser is sent that is to change a password (W3C, "A Well-Known URL for Changing Passwords").
@Suite(.site) struct `The address for changing passwords` {
    private static let address = "/.well-known/change-password"

    @Test func `leads to the page of the team that the browser is signed in to, or to the console's`() throws {
        let stranger = try site.browser().get(Self.address)
        #expect(stranger.status == 303 && stranger["Location"] == "/t/PIPPIN0000/account/password")
        #expect(stranger["Cache-Control"] == "no-store")
        let browser = try site.signedIn()
        let answer = try browser.get(Self.address)
        #expect(answer["Location"] == "/t/ACMETEAM01/account/password")
        #expect(try browser.follow(answer).status == 200)
        browser.keep("__Host-pippin-not a team", "x")
        #expect(try site.browser().get(Self.address)["Location"] == "/t/PIPPIN0000/account/password")
    }

    @Test func `is told apart from addresses that do not exist`() throws {
        let control = "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200"
        #expect(try site.ask("GET", control).status == 404)
    }
}
