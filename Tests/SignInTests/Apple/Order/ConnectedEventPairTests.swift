import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// The same of people of the directory who connect an account at Apple: each fact that Apple tells of it, with each thing
/// that happened to the connection or the person after it.
@Suite(.notifications) struct `V53, V54: An event and a newer connection, unlinking or suspension` {
    typealias Fact = `V53: An event and a newer one`.Fact

    /// What happens a minute later.
    enum Deed: CaseIterable, Sendable {
        /// They connect the account only then.
        case connection
        case disconnection, reconnection, signIn, suspension, pause
    }

    /// What there is of somebody in the end.
    struct Status: Equatable {
        var identities: [[String?]] = []
        var consent: String?
        var isAlive = false
        var isSignedIn = false
        var hasToken = false
        var isSuspended = false
        var others = 0
    }

    private struct Life {
        let subject: Subject
        let performer: Performer
        let browser: Browser
        var token = ""

        init(_ email: String, _ subject: Subject, _ performer: Performer) throws {
            (self.subject, self.performer) = (subject, performer)
            browser = try site.signedIn(as: email)
        }

        mutating func connect() throws {
            #expect(try browser.connect(performer).body.contains("Apple is connected"))
            token = try site.tokens(of: performer)
        }

        func tell(_ fact: Fact, _ delay: Duration = .zero, id: String) throws {
            let event = site.event(fact.rawValue, of: performer, after: delay)
            #expect(try site.notification(event, id: "\(performer)-\(id)").status == 200)
        }

        /// An account that was deleted there is disconnected by that.
        private func disconnect() throws {
            let own = "SELECT FROM upstream_identities WHERE sub = $1"
            guard try !site.admin(own, subject.rawValue).isEmpty else { return }
            #expect(try browser.disconnect().status == 303)
        }

        mutating func live(through deed: Deed) async throws {
            switch deed {
            case .connection: try connect()
            case .disconnection: try disconnect()
            case .reconnection:
                try disconnect()
                try connect()
            case .signIn: token = try site.tokens(of: performer)
            case .suspension: #expect(try await site.suspend(subject))
            case .pause:
                #expect(try await site.suspend(subject))
                #expect(try await site.lift(subject))
            }
        }

        func status() throws -> Status {
            let (sub, name) = (subject.rawValue, performer.subject.rawValue)
            let consent = try site.admin(
                "SELECT 'mail ' || forwards_mail FROM consents WHERE team_id = 'ACMETEAM01' AND sub = $1", sub)
            let live = "SELECT FROM upstream_tokens WHERE identifier = $1 AND state = 'live'"
            let suspended = "SELECT FROM users WHERE sub = $1 AND suspended_at IS NOT NULL"
            let others = "SELECT FROM users WHERE team_id = 'ACMETEAM01' AND sub = $1"
            return Status(
                identities: try site.admin(
                    "SELECT state, linked_at IS NOT NULL FROM upstream_identities WHERE identifier = $1 AND sub = $2",
                    name, sub), consent: consent.first?.first ?? nil,
                isAlive: try !token.isEmpty && site.isAlive(token),
                isSignedIn: try browser.get(Browser.account).status == 200,
                hasToken: try !site.admin(live, name).isEmpty, isSuspended: try !site.admin(suspended, sub).isEmpty,
                others: try site.admin(others, name).count)
        }
    }

    /// What holds in the end whatever Apple told of the time before.
    private static func expect(_ deed: Deed, _ fact: Fact, in end: Status) {
        #expect(end.others == 0, "nobody is made of the account")
        #expect(end.isSuspended == (deed == .suspension))
        #expect(end.isSignedIn == (deed != .suspension && deed != .pause))
        switch deed {
        case .connection, .reconnection:
            #expect(end.identities == [["authorized", "t"]] && end.isAlive && end.hasToken)
        case .disconnection: #expect(end.identities.isEmpty && !end.isAlive && !end.hasToken)
        case .signIn: #expect(end.identities == [["authorized", "t"]] && end.isAlive && end.hasToken)
        case .suspension: #expect(!end.isAlive)
        case .pause: #expect(end.isAlive == (fact == .mailOff || fact == .mailOn))
        }
    }

    /// Whoever comes by an account that was deleted there is a newcomer, or an older notice is about another time.
    fileprivate static let pairs = Fact.allCases.flatMap { fact in Deed.allCases.map { (fact, $0) } }.filter {
        $0 != .deleted || $1 != .signIn
    }

    @Test(arguments: pairs.sampled()) func `end the same, in whichever order and however often they come`(
        _ fact: Fact, _ deed: Deed
    ) async throws { try await Self.prove(fact, deed) }

    fileprivate static func prove(_ fact: Fact, _ deed: Deed) async throws {
        let people = site.teams.people
        var timely = try Life("ada@acme.example", people.ada, .hidden)
        var late = try Life("ben@acme.example", people.ben, .regular)
        if deed != .connection {
            try timely.connect()
            try late.connect()
        }
        site.clock.advance(by: .seconds(60))
        try timely.tell(fact, id: "older")
        site.clock.advance(by: .seconds(60))
        try await timely.live(through: deed)
        try await late.live(through: deed)
        try late.tell(fact, .seconds(-60), id: "older")
        try late.tell(fact, .seconds(-60), id: "older again")

        let ends = try (timely.status(), late.status())
        #expect(ends.0 == ends.1)
        expect(deed, fact, in: ends.1)
    }

    @Test(arguments: Fact.allCases) func `leave alone whoever has connected the account since`(_ fact: Fact) throws {
        let people = site.teams.people
        var ada = try Life("ada@acme.example", people.ada, .regular)
        try ada.connect()
        site.clock.advance(by: .seconds(60))
        _ = try ada.browser.disconnect()
        var ben = try Life("ben@acme.example", people.ben, .regular)
        try ben.connect()
        let before = try (ada.status(), ben.status())
        for id in ["1", "2"] { try ben.tell(fact, .seconds(-30), id: id) }

        let after = try (ada.status(), ben.status())
        #expect(after.0 == before.0 && after.1 == before.1)
        #expect(after.1.isAlive && after.1.identities == [["authorized", "t"]])
    }
}

/// Each fact with each deed.
@Suite(.notifications) struct ConnectedEventPairLongTests {
    typealias Short = `V53, V54: An event and a newer connection, unlinking or suspension`

    @Test(arguments: Short.pairs) func `V53, V54: an event and a newer one end the same in either order`(
        _ fact: Short.Fact, _ deed: Short.Deed
    ) async throws { try await Short.prove(fact, deed) }
}
