import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// Sign-ins at Apple that are under way while the person parts from Apple.
@Suite struct `A sign-in under way while its user is unlinked from Apple` {
    private static let completed = """
        SELECT FROM audit_events
        WHERE team_id = 'ACMETEAM01' AND action = 'sign_in.completed' AND after::text LIKE '%apple%'
        """

    /// How somebody parts.
    enum End: CaseIterable {
        case disconnected, consentRevoked, accountDeleted

        /// - Parameter browser: the person's own, signed in with their password.
        func come(_ browser: Browser) throws {
            let answer =
                switch self {
                case .disconnected: try browser.disconnect()
                case .consentRevoked: try site.notification(site.event("consent-revoked"))
                case .accountDeleted: try site.notification(site.event("account-delete"))
                }
            #expect(answer.status == (self == .disconnected ? 303 : 200))
        }
    }

    /// Ada, who has connected Apple.
    private func ada(by performer: Performer = .regular) throws -> Browser {
        let browser = try site.signedIn()
        try browser.connect(performer)
        return browser
    }

    /// A browser that is proved at Apple, and has not gone on: with the address where it would.
    private func proved() throws -> (browser: Browser, next: String) {
        let browser = site.browser()
        let held = try browser.get(try browser.accountUntilBack(.regular))
        #expect(held.status == 303)
        return (browser, try #require(held["Location"]))
    }

    @Test(.notifications, arguments: End.allCases) func `does not come in with a proof from before`(_ end: End) throws {
        let own = try ada()
        let (browser, next) = try proved()
        try end.come(own)

        #expect(try browser.follow(try browser.get(next)).status == 410)
        #expect(try browser.get(Browser.account).status == 303)
        #expect(try own.get(Browser.account).status == 200)
    }

    @Test(.apple) func `does not come in where its person parts in the very moment`() async throws {
        let (browser, next) = try proved()
        let exchange = try await site.teams.hold(
            Performer.regular.subject.rawValue, while: { try browser.set(out: next) },
            then: [("UPDATE upstream_identities SET state = 'revoked'", [])])

        #expect(try browser.follow(try exchange.answer()).status == 410)
        #expect(try site.count("sessions", of: Performer.regular.subject, in: .acme) == 0)
    }

    @Test(.notifications) func `does not come in to an account that is gone`() throws {
        let (browser, next) = try proved()
        try End.accountDeleted.come(browser)
        #expect(try browser.follow(try browser.get(next)).status == 410)
        #expect(try browser.get(Browser.account).status == 303)
    }

    @Test(.notifications) func `comes in only while the account at Apple is authorized, and only by its own`() throws {
        let (browser, next) = try proved()
        try site.revokeIdentities()
        #expect(try browser.follow(try browser.get(next)).status == 410)
        #expect(try browser.get(Browser.account).status == 303)

        // What ends for one person leaves another's sign-in alone.
        let own = try ada(by: .hidden)
        let (other, home) = try proved()
        _ = try own.disconnect()
        #expect(try other.follow(try other.follow(try other.get(home))).status == 200)
    }

    /// Has Apple take its time, and the person part meanwhile.
    private func part(_ end: End, _ own: Browser, while begin: () throws -> Exchange) async throws -> Answer {
        try await site.hold(while: begin, then: { try end.come(own) }).answer()
    }

    @Test(.notifications, arguments: End.allCases, [true, false])
    func `brings nothing while the code is redeemed, in the browser`(_ end: End, _ isForApp: Bool) async throws {
        let own = try ada()
        let browser = site.browser()
        let back = isForApp ? try browser.signInUntilBack() : try browser.accountUntilBack(.regular)
        let answer = try await part(end, own) { try browser.set(out: back) }

        #expect(answer.status == 400 && answer.value(of: "code") == nil)
        #expect(try site.count("authorization_codes", in: .acme) == 0)
        #expect(try site.admin(Self.completed).isEmpty)
        #expect(try browser.get(Browser.account).status == 303)
        try expectStray(after: end, isForApp: isForApp)
    }

    @Test(.notifications, arguments: End.allCases) func `brings nothing while the code is redeemed, in a native app`(
        _ end: End
    ) async throws {
        let own = try ada()
        let given = try site.device(.regular)
        let answer = try await part(end, own) { try site.setOut("/t/ACMETEAM01/auth/native", given) }

        #expect(answer.status == 400 && answer.json["error"] == "invalid_grant")
        #expect(try site.count("refresh_tokens", in: .acme) == 0)
        #expect(try site.admin(Self.completed).isEmpty)
        try expectStray(after: end, isForApp: true)
        // The next one counts again.
        #expect(try site.handOver(try site.device(.regular)).status == 200)
    }

    @Test(.notifications, arguments: ["consent-revoked", "account-delete"])
    func `brings nobody in of whom Apple says so before anybody knows them`(_ event: String) async throws {
        let answers = try await site.handOver(slowly: try site.device(.regular)) {
            try site.notification(site.event(event))
        }
        #expect(answers.map(\.status) == [200, 400])
        #expect(try site.people() == [] && site.announcements().isEmpty)
        #expect(try site.tokenStates() == ["ending"])
    }

    @Test(.notifications, arguments: [true, false])
    func `brings nothing in a native app of somebody who came that way alone`(_ isDeleted: Bool) async throws {
        #expect(try site.handOver(try site.device(.regular)).status == 200)
        let event = isDeleted ? "account-delete" : "consent-revoked"
        let answers = try await site.handOver(slowly: try site.device(.regular)) {
            try site.notification(site.event(event))
        }
        #expect(answers.map(\.status) == [200, 400])
        #expect(try site.names() == (isDeleted ? [] : [["Rita", "Rita", "revoked"]]))
        #expect(try site.count("consents", in: .acme) == 0)
        #expect(try site.announcements().isEmpty)
    }

    @Test(.apple) func `brings nothing in a native app whose consent was taken back`() async throws {
        let token = try site.nativeToken()
        let answers = try await site.handOver(slowly: try site.device(.regular)) {
            try site.post("/t/ACMETEAM01/auth/revoke", ["client_id": ClientID.app.rawValue, "token": token])
        }
        #expect(answers.map(\.status) == [200, 400])
        #expect(try site.count("consents", in: .acme) == 0)
    }

    @Test(.notifications) func `goes on where the notification is about an earlier time`() async throws {
        #expect(try site.handOver(try site.device(.regular)).status == 200)
        site.clock.advance(by: .seconds(60))
        let answers = try await site.handOver(slowly: try site.device(.regular)) {
            try site.notification(site.event("consent-revoked", after: .seconds(-30)))
        }
        #expect(answers.map(\.status) == [200, 200])
        #expect(try site.names() == [["Rita", "Rita", "authorized"]])
    }

    /// The token of the spent code is kept beside the first: with its person where Apple's name still leads to one who could
    /// end it, and else on its way back to Apple.
    private func expectStray(after end: End, isForApp: Bool) throws {
        let kept = end == .consentRevoked && !isForApp ? "live" : "ending"
        #expect(try site.tokenStates().count == 2 && site.tokenStates().contains(kept))
    }

    @Test(.apple) func `keeps Apple's token where somebody else connects the account meanwhile`() async throws {
        let (browser, ben) = (site.browser(), site.browser())
        try browser.openOwnPage()
        let back = try browser.connectUntilBack(.regular)
        try ben.openOwnPage(as: "ben@acme.example")
        let other = try ben.connectUntilBack(.regular)
        let exchange = try await site.hold(while: { try browser.set(out: back) }) {
            let page = try ben.follow(try ben.get(other))
            #expect(page.body.contains("Apple is connected"))
        }

        #expect(try exchange.answer().status == 409)
        let tokens = "SELECT DISTINCT sub FROM upstream_tokens"
        #expect(try site.tokenStates().count == 2)
        #expect(try site.admin(tokens) == [[site.teams.people.ben.rawValue]])
    }
}

extension Browser {
    /// From the person's own page over Apple, as far as the address where the browser comes back.
    func accountUntilBack(_ performer: Performer) throws -> String {
        let page = try get("\(Self.account)/session")
        let apple = try goOnToApple(try #require(page.link("/apple")))
        return try postBack(try choose(performer, on: apple))
    }

}
