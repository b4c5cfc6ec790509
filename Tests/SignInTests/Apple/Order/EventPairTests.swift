import Accounts
import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// Each fact that Apple tells, with each thing that happened after it: told in time, or late and twice, the end is the
/// same.
@Suite(.notifications) struct `V53: An event and a newer one` {
    /// What Apple tells, with the time at which it happened.
    enum Fact: String, CaseIterable, Sendable {
        case stopped = "consent-revoked"
        case deleted = "account-delete"
        case mailOff = "email-disabled"
        case mailOn = "email-enabled"
    }

    /// What happens a minute later.
    enum Deed: Hashable, CaseIterable, Sendable {
        case signIn, signOut, signOutRevokedThere, revocation, arrivalElsewhere, suspension, pause, deletion
        case told(Fact)

        static let allCases: [Deed] =
            [.signIn, .signOut, .signOutRevokedThere, .revocation, .arrivalElsewhere, .suspension, .pause, .deletion]
            + Fact.allCases.map(Deed.told)
    }

    /// What there is of somebody in the end.
    struct Status: Equatable {
        var isKnown = false
        var isSuspended = false
        var consent: String?
        var credential: String?
        var session = false
        var hasToken = false
        var hasTokenElsewhere = false
    }

    private struct Life {
        let performer: Performer
        var token: String

        init(_ performer: Performer) throws {
            self.performer = performer
            token = try site.tokens(of: performer)
        }

        func tell(_ fact: Fact, _ delay: Duration = .zero, id: String) throws {
            let event = site.event(fact.rawValue, of: performer, after: delay)
            #expect(try site.notification(event, id: "\(performer)-\(id)").status == 200)
        }

        mutating func live(through deed: Deed) async throws {
            let sub = performer.subject.rawValue
            switch deed {
            case .signIn: token = try site.tokens(of: performer)
            case .signOut: _ = try site.client("sign-out", ["sub": sub])
            case .signOutRevokedThere:
                _ = try site.client("sign-out", ["sub": sub])
                let waiting = "SELECT FROM upstream_tokens WHERE state = 'ending' AND sub = $1"
                try await site.work { try site.admin(waiting, sub).isEmpty }
            case .revocation: _ = try site.client("revoke", ["token": token])
            case .arrivalElsewhere: try site.comeToOtherGroup(performer)
            case .suspension: try await site.suspend(performer.subject)
            case .pause:
                try await site.suspend(performer.subject)
                try await site.lift(performer.subject)
            case .deletion: try await delete()
            case .told(let fact): try tell(fact, id: "newer")
            }
        }

        private func delete() async throws {
            let people = "SELECT FROM users WHERE team_id = 'ACMETEAM01' AND sub = $1"
            guard try !site.admin(people, performer.subject.rawValue).isEmpty else { return }
            try await site.deleteAccount(of: performer.subject)
        }

        func status() throws -> Status {
            let sub = performer.subject.rawValue
            func hasToken(_ primaryAppID: String) throws -> Bool {
                let live = "SELECT FROM upstream_tokens WHERE sub = $1 AND app_id = $2 AND state = 'live'"
                return try !site.admin(live, sub, primaryAppID).isEmpty
            }
            let consent = try site.admin(
                "SELECT 'mail ' || forwards_mail FROM consents WHERE team_id = 'ACMETEAM01' AND sub = $1", sub)
            return Status(
                isKnown: try site.admin("SELECT FROM users WHERE team_id = 'ACMETEAM01' AND sub = $1", sub).count == 1,
                isSuspended: try !site.admin("SELECT FROM users WHERE sub = $1 AND suspended_at IS NOT NULL", sub)
                    .isEmpty, consent: consent.first?.first ?? nil, credential: try site.credentialState(of: performer),
                session: try site.isAlive(token), hasToken: try hasToken("com.acme.app"),
                hasTokenElsewhere: try hasToken("com.acme.other"))
        }
    }

    /// Somebody deleted who comes elsewhere is a newcomer there, which is not played here.
    fileprivate static let pairs = Fact.allCases.flatMap { fact in Deed.allCases.map { (fact, $0) } }.filter {
        $0 != .deleted || $1 != .arrivalElsewhere
    }

    @Test(arguments: pairs.sampled()) func `end the same, in whichever order and however often they come`(
        _ fact: Fact, _ deed: Deed
    ) async throws { try await Self.prove(fact, deed) }

    fileprivate static func prove(_ fact: Fact, _ deed: Deed) async throws {
        var timely = try Life(.hidden)
        var late = try Life(.regular)
        site.clock.advance(by: .seconds(60))
        try timely.tell(fact, id: "older")
        site.clock.advance(by: .seconds(60))
        try await timely.live(through: deed)
        try await late.live(through: deed)
        try late.tell(fact, .seconds(-60), id: "older")
        try late.tell(fact, .seconds(-60), id: "older again")

        let end = try late.status()
        #expect(try end == timely.status())
        expect(deed, fact, in: end)
    }

    /// What holds in the end whatever Apple told of the time before.
    private static func expect(_ deed: Deed, _ fact: Fact, in end: Status) {
        switch deed {
        case .signIn: #expect(end.isKnown && end.session && end.hasToken && end.consent != nil)
        case .deletion, .told(.deleted): #expect(end == Status(credential: "notFound"))
        case .told(.stopped): #expect(end.consent == nil && !end.session && !end.hasToken)
        case .revocation: #expect(end.consent == nil && !end.session)
        case .suspension: #expect(end.isSuspended == (fact != .deleted) && !end.session)
        case .pause: #expect(!end.isSuspended && end.session == (fact == .mailOff || fact == .mailOn))
        case .told(.mailOff), .told(.mailOn): expect(fact, in: end, mail: deed == .told(.mailOn))
        // The consent stands, and the app is told what it was told of it.
        case .signOut, .signOutRevokedThere:
            #expect(end.isKnown == (fact != .deleted))
            #expect((end.consent != nil) == (fact == .mailOff || fact == .mailOn))
            #expect(!end.session && !end.hasToken)
        case .arrivalElsewhere:
            #expect(end.isKnown && end.hasTokenElsewhere)
            #expect(end.session == (fact != .stopped) && end.hasToken == (fact != .stopped))
        }
    }

    /// The relay's switch says what Apple told of last, and ends nothing; nor does it bring back what has ended before.
    private static func expect(_ fact: Fact, in end: Status, mail isOn: Bool) {
        switch fact {
        case .mailOff, .mailOn: #expect(end.isKnown && end.session && end.hasToken && end.consent == "mail \(isOn)")
        case .stopped: #expect(end.isKnown && end.consent == nil && !end.session && !end.hasToken)
        case .deleted: #expect(end == Status(credential: "notFound"))
        }
    }

    /// The code is with Apple when the person stops using the app: what it gives is given back with the rest.
    @Test func `S35: a consent that ends while Apple's code is redeemed leaves no token alive`() async throws {
        let rita = Performer.regular
        let token = try site.tokens(of: rita)
        let browser = site.browser()
        let back = try browser.signInUntilBack(rita)
        let secret = try site.teams.secret(of: .web)
        let form = ["client_id": ClientID.web.rawValue, "client_secret": secret, "token": token]
        let answers = try await site.teams.hold(
            rita.subject.rawValue,
            whileInTurn: [{ try site.setOut("/t/ACMETEAM01/auth/revoke", form) }, { try browser.set(out: back) }])

        #expect(try answers[0].answer().status == 200)
        #expect(try answers[1].answer().value(of: "code") == nil)
        #expect(try site.tokenStates() == ["ending", "ending"])
        try await site.work { try site.tokenStates() == ["revoked", "revoked"] }
        #expect(try !site.receipts().contains("upstream_token.superseded"))
        #expect(try site.count("consents", in: .appleSide) == 0)
    }
}

/// Each fact with each deed.
@Suite(.notifications) struct EventPairLongTests {
    @Test(arguments: `V53: An event and a newer one`.pairs)
    func `V53: an event and a newer one end the same in either order`(
        _ fact: `V53: An event and a newer one`.Fact, _ deed: `V53: An event and a newer one`.Deed
    ) async throws { try await `V53: An event and a newer one`.prove(fact, deed) }
}
