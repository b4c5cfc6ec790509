import Bytes
import Domain
import Postgres
import Simulator
import Testing

@testable import Hosted
@testable import TestTeams

/// Sign-ins at Apple that are under way while the person parts from Apple.
@Suite struct `A sign-in under way while Apple is parted from` {
    private static let completed = """
        SELECT FROM audit_events
        WHERE team_id = 'ACMETEAM01' AND action = 'sign_in.completed' AND after::text LIKE '%apple%'
        """

    /// How somebody parts.
    enum End: CaseIterable {
        case disconnected, consentRevoked, accountDeleted

        /// - Parameter browser: the person's own, signed in with their password.
        func come(_ browser: Browser, _ site: TestSite) throws {
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
    private func ada(_ site: TestSite, by performer: Performer = .regular) throws -> Browser {
        let browser = site.browser()
        try browser.openOwnPage()
        try browser.connect(performer)
        return browser
    }

    /// A browser that is proved at Apple, and has not gone on: with the address where it would.
    private func proved(_ site: TestSite) throws -> (browser: Browser, next: String) {
        let browser = site.browser()
        let held = try browser.get(try browser.accountUntilBack(.regular, at: site.port))
        #expect(held.status == 303)
        return (browser, try #require(held["Location"]))
    }

    @Test(.notifications, arguments: End.allCases) func `does not come in with a proof from before`(_ end: End) throws {
        let own = try ada(site)
        let (browser, next) = try proved(site)
        try end.come(own, site)

        #expect(try browser.follow(try browser.get(next)).status == 410)
        #expect(try browser.get(Browser.account).status == 303)
        #expect(try own.get(Browser.account).status == 200)
    }

    @Test(.apple) func `does not come in where its person parts in the very moment`() async throws {
        let (browser, next) = try proved(site)
        let unlink = try AdminConnection(to: site.teams.conninfo)
        try unlink.execute("BEGIN")
        try unlink.execute(
            "SELECT FROM users WHERE team_id = 'ACMETEAM01' AND sub = $1 FOR NO KEY UPDATE",
            [Performer.regular.subject.rawValue])
        try unlink.execute("UPDATE provider_identities SET state = 'revoked'")
        let exchange = try browser.set(out: next)
        try await site.wait(isHasty: false) {
            try !site.teams.admin(
                "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            ).isEmpty
        }
        try unlink.execute("COMMIT")

        #expect(try browser.follow(try exchange.answer()).status == 410)
        let sessions = "SELECT FROM sessions WHERE team_id = 'ACMETEAM01' AND sub = $1"
        #expect(try site.teams.admin(sessions, Performer.regular.subject.rawValue).isEmpty)
    }

    @Test(.notifications) func `does not come in to an account that is gone`() throws {
        let (browser, next) = try proved(site)
        try End.accountDeleted.come(browser, site)
        #expect(try browser.follow(try browser.get(next)).status == 410)
        #expect(try browser.get(Browser.account).status == 303)
    }

    @Test(.notifications) func `comes in only while the account at Apple is authorized, and only by its own`() throws {
        let (browser, next) = try proved(site)
        try site.teams.admin("UPDATE provider_identities SET state = 'revoked'")
        #expect(try browser.follow(try browser.get(next)).status == 410)
        #expect(try browser.get(Browser.account).status == 303)

        // What ends for one person leaves another's sign-in alone.
        let own = try ada(site, by: .hidden)
        let (other, home) = try proved(site)
        _ = try own.disconnect()
        #expect(try other.follow(try other.follow(try other.get(home))).status == 200)
    }

    /// Has Apple take its time, and the person part meanwhile.
    private func part(_ end: End, _ own: Browser, from site: TestSite, while begin: () throws -> Exchange) async throws
        -> Answer
    { try await site.hold(while: begin, then: { try end.come(own, site) }).answer() }

    @Test(.notifications, arguments: End.allCases, [true, false])
    func `brings nothing while the code is redeemed, in the browser`(_ end: End, _ isForApp: Bool) async throws {
        let own = try ada(site)
        let browser = site.browser()
        let back =
            isForApp
            ? try browser.postBack(try browser.choose(.regular, on: try browser.goToApple()), to: site.port)
            : try browser.accountUntilBack(.regular, at: site.port)
        let answer = try await part(end, own, from: site) { try browser.set(out: back) }

        #expect(answer.status == 400 && answer.value(of: "code") == nil)
        let codes = "SELECT FROM authorization_codes WHERE team_id = 'ACMETEAM01'"
        #expect(try site.teams.admin(codes).isEmpty)
        #expect(try site.teams.admin(Self.completed).isEmpty)
        #expect(try browser.get(Browser.account).status == 303)
        try expectStray(after: end, isForApp: isForApp, at: site)
    }

    @Test(.notifications, arguments: End.allCases) func `brings nothing while the code is redeemed, in a native app`(
        _ end: End
    ) async throws {
        let own = try ada(site)
        let given = try site.device(.regular)
        let body = FormCoding.encode(given.map { (name: $0.key, value: $0.value) })
        let form = "Content-Type: application/x-www-form-urlencoded"
        let answer = try await part(end, own, from: site) {
            try Exchange(port: site.port, "POST", "/t/ACMETEAM01/auth/native", [form], body: body)
        }

        #expect(answer.status == 400 && answer.json["error"] == "invalid_grant")
        let sessions = "SELECT FROM refresh_tokens WHERE team_id = 'ACMETEAM01'"
        #expect(try site.teams.admin(sessions).isEmpty)
        #expect(try site.teams.admin(Self.completed).isEmpty)
        try expectStray(after: end, isForApp: true, at: site)
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
        #expect(try site.teams.admin("SELECT FROM consents WHERE team_id = 'ACMETEAM01'").isEmpty)
        #expect(try site.announcements().isEmpty)
    }

    @Test(.apple) func `brings nothing in a native app whose consent was taken back`() async throws {
        let first = try site.handOver(try site.device(.regular))
        let token = try #require(first.json["refresh_token"]?.string)
        let answers = try await site.handOver(slowly: try site.device(.regular)) {
            try site.post("/t/ACMETEAM01/auth/revoke", ["client_id": ClientID.app.rawValue, "token": token])
        }
        #expect(answers.map(\.status) == [200, 400])
        #expect(try site.teams.admin("SELECT FROM consents WHERE team_id = 'ACMETEAM01'").isEmpty)
    }

    @Test(.notifications) func `goes on where the notification is about an earlier time`() async throws {
        #expect(try site.handOver(try site.device(.regular)).status == 200)
        site.teams.clock.advance(by: .seconds(60))
        let answers = try await site.handOver(slowly: try site.device(.regular)) {
            try site.notification(site.event("consent-revoked", after: .seconds(-30)))
        }
        #expect(answers.map(\.status) == [200, 200])
        #expect(try site.names() == [["Rita", "Rita", "authorized"]])
    }

    /// The token of the spent code is kept beside the first: with its person where Apple's name still leads to one who could
    /// end it, and else on its way back to Apple.
    private func expectStray(after end: End, isForApp: Bool, at site: TestSite) throws {
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
        let tokens = "SELECT DISTINCT sub FROM provider_tokens"
        #expect(try site.tokenStates().count == 2)
        #expect(try site.teams.admin(tokens) == [[site.teams.people.ben.rawValue]])
    }
}

extension Browser {
    /// From the person's own page over Apple, as far as the address where the browser comes back.
    func accountUntilBack(_ performer: Performer, at port: UInt16) throws -> String {
        let page = try get("\(Self.account)/session")
        let apple = try goOnToApple(try #require(page.link("/apple")))
        return try postBack(try choose(performer, on: apple), to: port)
    }

    /// Asks without waiting for the answer.
    func set(out path: String) throws -> Exchange {
        let jar = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        return try Exchange(port: port, "GET", path, ["Cookie: \(jar)"])
    }
}
