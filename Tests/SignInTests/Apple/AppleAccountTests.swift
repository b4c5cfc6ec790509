import Platform
import Simulator
import Testing

@testable import TestTeams

/// The account page of people who came by way of Apple.
@Suite(.apple) struct `Somebody who came by way of Apple` {
    private static let deletion = Browser.account + "/deletion"

    @Test func `deletes the account only after having shown a short while ago that it is them`() throws {
        let browser = site.browser()
        try browser.openAccount(.regular)
        let page = try browser.get(Self.deletion)
        #expect(page.status == 200)

        site.clock.advance(by: .seconds(601))
        let detour = try browser.get(Self.deletion)
        #expect(detour.status == 303 && detour["Location"]?.hasPrefix(Browser.account + "/session?next=") == true)
        let late = try browser.send(page, [("confirmation", "rita@icloud.example")])
        #expect(late.status == 303)
        #expect(
            try site.admin("SELECT count(*) FROM users WHERE email LIKE 'rita@%' AND team_id = 'ACMETEAM01'") == [["1"]]
        )

        try browser.openAccount(.regular)
        let done = try browser.send(try browser.get(Self.deletion), [("confirmation", "rita@icloud.example")])
        #expect(done.status == 200)
        #expect(
            try site.admin("SELECT count(*) FROM users WHERE email LIKE 'rita@%' AND team_id = 'ACMETEAM01'") == [["0"]]
        )
    }
}

extension Browser {
    /// Signs in at Apple to the person's own page.
    func openAccount(_ performer: Performer) throws {
        let page = try get(Browser.account + "/session")
        let back = try postBack(try choose(performer, on: try goOnToApple(try #require(page.link("/apple")))))
        let account = try follow(try follow(try follow(try get(back))))
        #expect(account.status == 200)
    }
}
