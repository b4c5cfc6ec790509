import Core
import Platform
import Simulator
import Testing

@testable import SignIn
@testable import TestTeams

/// What Apple answered belongs to the browser that began and came back, and to no other.
@Suite(.apple) struct `An answer of Apple` {
    @Test(arguments: ["directory,apple", "apple"])
    func `S2, V40: that another browser brought signs in nobody, whoever fetches it`(sources: String) throws {
        try site.setIdentitySources(sources)
        let (attacker, victim) = (site.browser(), site.browser())
        // Apple's genuine address, sent by whoever began to somebody who then approves.
        let exit = try victim.choose(.regular, on: try attacker.goToApple())
        let back = try victim.postBack(exit)
        try expectNothing(of: back, for: attacker)
        #expect(try victim.get(back).status == 410)
        // It stood in the victim's address bar until now: whoever read it there has nothing either.
        #expect(try attacker.get(back).status == 410)
        #expect(attacker.cookies[Browser.sessionCookie] == nil)
        #expect(victim.cookies[Browser.sessionCookie] == nil)
        #expect(try site.codes().isEmpty)
        #expect(try !site.actions().contains("sign_in.completed"))
    }

    @Test func `S2: keeps the receipt of the first post, which a second neither replaces nor learns`() throws {
        let browser = site.browser()
        let exit = try browser.choose(.regular, on: try browser.goToApple())
        let first = try browser.postBack(exit)
        let second = try browser.postBack(exit, changing: ["code": "c.0.other"])
        let receipts = try [first, second].map { try #require($0.receipt) }
        #expect(receipts.allSatisfy { Base64URL.decode($0)?.count == 16 } && receipts[0] != receipts[1])
        // The second one is worth nothing, and spoils nothing.
        #expect(try browser.get(second).status == 410)
        #expect(try browser.get(first).value(of: "code") != nil)
    }

    @Test func `S2: that a stranger posts first signs in nobody, be the code theirs or the victim's`() throws {
        let (attacker, victim) = (site.browser(), site.browser())
        let own = try attacker.choose(.hidden, on: try attacker.goToApple())
        let victims = try victim.choose(.regular, on: try victim.goToApple())
        // The attacker's code under the victim's state, before Apple's own post.
        let planted = try attacker.postBack(own, changing: ["state": victims.value(of: "state")])
        #expect(try victim.get(try victim.postBack(victims)).status == 410)
        #expect(try attacker.get(planted).status == 410)
        // The victim's code under the attacker's state: Apple's token names the trip it was made for.
        let other = site.browser()
        let begun = try attacker.choose(.hidden, on: try attacker.goToApple())
        let taken = try other.postBack(victims, changing: ["state": begun.value(of: "state")])
        let refused = try attacker.get(taken)
        #expect(refused.status == 400 && refused.value(of: "code") == nil)
        #expect(try site.codes().isEmpty)
    }

    @Test func `S2: is tried again with the same receipt, which is worth nothing once it is settled`() throws {
        let (browser, back) = try site.back()
        site.script.set(.trouble, at: .token, times: 9)
        let page = try browser.get(back)
        #expect(page.status == 503 && page["Referrer-Policy"] == "same-origin")
        let retry = try #require(page.body.firstMatch(between: "href=\"\(Browser.callback)", and: "\""))
        #expect("\(Browser.callback)\(retry)" == back)
        site.script.set(nil, at: .token)
        let done = try browser.get(back)
        #expect(done.value(of: "code") != nil)
        for other in [browser, site.browser()] { #expect(try other.get(back).status == 410) }
    }

    @Test func `S2, V51: has a receipt that no log line and no step of the inspector shows`() async throws {
        let (browser, back) = try site.back()
        let receipt = try #require(back.receipt)
        site.script.set(.unknownClient, at: .token, times: 9)
        #expect(try browser.get(back).status == 400)
        let failed = "SELECT FROM trace_events WHERE team_id = 'ACMETEAM01' AND kind = 'upstream_failed'"
        try await site.flush()
        #expect(try !site.admin(failed).isEmpty)
        #expect(site.lines.all.contains { $0.contains("upstream.failed") })
        #expect(!site.lines.all.contains { $0.contains(receipt) })
        let shown = "SELECT FROM trace_events s WHERE position($1 in s::text) > 0"
        #expect(try site.admin(shown, receipt).isEmpty)
        let begun = "SELECT FROM traces f WHERE position($1 in f::text) > 0"
        #expect(try site.admin(begun, receipt).isEmpty)
        // Kept as a hash alone.
        let kept = "SELECT FROM upstream_requests t WHERE position($1 in t::text) > 0"
        #expect(try site.admin(kept, receipt).isEmpty)
    }

    /// Whoever knows the state and guesses the receipt gets nothing.
    private func expectNothing(of back: String, for browser: Browser) throws {
        let receipt = try #require(back.receipt)
        let state = back.replacing("&receipt=\(receipt)", with: "")
        let made = Base64URL.encode([UInt8](repeating: 7, count: 16))
        for path in [
            state, state + "&receipt=", state + "&receipt=" + made, state + "&receipt=" + receipt.dropLast(),
            state + "&receipt=" + receipt + "A", state + "&Receipt=" + receipt,
        ] {
            let answer = try browser.get(path)
            #expect(answer.status == 410 && answer.value(of: "code") == nil, "\(path)")
        }
    }
}

extension String {
    /// The receipt in the address where a browser goes on.
    var receipt: String? { split(separator: "receipt=").dropFirst().first.map(String.init) }
}

extension TestSite {
    /// Codes that Acme's apps were given; the Apple simulator has a team of its own for those it gives.
    func codes() throws -> [[String?]] {
        try teams.admin("SELECT sub FROM authorization_codes WHERE team_id = 'ACMETEAM01'")
    }
}
