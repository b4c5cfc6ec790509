import Core
import Platform
import Simulator
import Testing

@testable import TestTeams

/// Connecting an account at Apple to an account of the directory, by proving both.
@Suite(.apple) struct `Connecting Apple` {
    private static let rita = Performer.regular.subject.rawValue

    @Test func `leads later sign-ins to the same person, in the browser and in native apps`() throws {
        let browser = try site.signedIn()
        let before = try site.profile()
        let page = try browser.connect(.regular)

        #expect(page.body.contains("Apple is connected") && page.body.contains("rita@icloud.example"))
        #expect(try site.identities() == [[Self.rita, site.ada]])
        #expect(try site.claims(of: try site.browser().signInAtApple(.regular))["sub"]?.string == site.ada)
        let native = try site.handOver(try site.device(.regular))
        #expect(try native.status == 200 && site.claims(native)["sub"]?.string == site.ada)

        #expect(try site.profile() == before)
        #expect(try site.count("users", of: Performer.regular.subject, in: .acme) == 0)
        let owners = "SELECT DISTINCT sub FROM upstream_tokens"
        #expect(try site.admin(owners) == [[site.ada]])
    }

    @Test func `gives back what Apple gave where its answer cannot be believed`() async throws {
        let browser = try site.signedIn()
        let back = try browser.connectUntilBack(.regular)
        site.script.set(.expired, at: .token)
        #expect(try browser.follow(try browser.get(back)).status == 400)
        #expect(try site.identities().isEmpty && site.tokenStates() == ["ending"])
        try await site.work { try site.tokenStates() == ["revoked"] }
    }

    @Test func `is in the log and in the vault, and is told by mail`() throws {
        _ = try site.connected(.regular)

        let events = try site.admin(
            "SELECT actor, target, after->>'identifier' FROM audit_events WHERE action = 'identity.linked'")
        #expect(events == [[site.ada, site.ada, Self.rita]])
        let mail = try #require(try site.mails().last)
        #expect(mail.recipient.rawValue == "ada@acme.example")
        guard case .plain(_, let paragraphs) = mail.message else { throw TestFailure("another letter") }
        #expect(paragraphs[0].hasPrefix("An Apple Account was connected"))
        let vault = "SELECT form_given_name, form_email, email FROM upstream_identities"
        #expect(try site.admin(vault) == [["Rita", "rita@icloud.example", "rita@icloud.example"]])
    }

    @Test func `leaves a consent as it was given here`() throws {
        let browser = site.browser()
        _ = try site.token(of: try browser.consent())
        let given = "SELECT given_name, family_name, shares_email::text, provider FROM consents WHERE sub = $1"
        let before = try site.admin(given, site.ada)
        try browser.connect(.hidden)

        let exit = try site.browser().signInAtApple(.hidden)
        #expect(exit.value(of: "user") == nil)
        let claims = try site.claims(of: exit)
        #expect(claims["email"] == "ada@acme.example" && claims["is_private_email"] == nil)
        #expect(try site.admin(given, site.ada) == before)
    }

    @Test func `shares what Apple gives, and never the person's own, where they decide at Apple`() throws {
        let browser = try site.connected(.hidden)
        let exit = try site.browser().signInAtApple(.hidden)
        #expect(exit.value(of: "user")?.contains("Hiro") == true)
        let relay = try #require(try site.claims(of: exit)["email"]?.string)
        #expect(relay.hasSuffix("@privaterelay.appleid.com"))

        // The same address with the password, and when tokens are renewed.
        let later = try browser.confirm()
        #expect(later.value(of: "user") == nil)
        let token = try site.token(of: later)
        let form = ["grant_type": "refresh_token", "refresh_token": token]
        let renewed = try site.claims(try site.client("token", form))
        #expect(renewed["email"]?.string == relay && renewed["is_private_email"] == true)
        #expect(try browser.get(Browser.account).body.contains(relay))
        #expect(try site.profile()[0][0] == "ada@acme.example")
    }

    @Test func `V16: never happens because an address matches`() async throws {
        let addresses = [
            "rita@icloud.example", "RITA@icloud.example", "Rita@ICLOUD.EXAMPLE", "rita+shop@icloud.example",
            "r.ita@icloud.example",
        ]
        for (email, isVerified) in addresses.flatMap({ [($0, true), ($0, false)] }) {
            try site.admin(
                "UPDATE users SET email = $1, is_email_verified = $2::boolean WHERE sub = $3", email, "\(isVerified)",
                site.ada)
            try site.admin("UPDATE login_names SET login = lower($1) WHERE sub = $2", email, site.ada)
            for _ in 1...2 {
                let claims = try site.claims(of: try site.browser().signInAtApple(.regular))
                #expect(claims["sub"]?.string == Self.rita, "\(email)")
            }
            let native = try site.handOver(try site.device(.regular))
            #expect(try site.claims(native)["sub"]?.string == Self.rita, "\(email)")
            #expect(try site.identities() == [[Self.rita, Self.rita]])
            try await site.reset()
        }
    }

    @Test func `changes nothing where the account at Apple has one here, which can be deleted first`() throws {
        let token = try site.tokens()
        let browser = try site.signedIn()
        let refusal = try browser.connect(.regular)
        #expect(refusal.status == 409)
        #expect(refusal.headline == "This Apple Account already has an account here")
        #expect(try site.identities() == [[Self.rita, Self.rita]])
        #expect(try site.isAlive(token) && site.tokenStates() == ["live"])
        #expect(try !site.actions().contains("identity.linked"))

        #expect(try site.client("delete-account", ["sub": Self.rita]).status == 202)
        #expect(try browser.connect(.regular).body.contains("Apple is connected"))
        #expect(try site.identities() == [[Self.rita, site.ada]])
    }

    @Test func `takes one account, and says so when it is that one already`() throws {
        let browser = try site.signedIn()
        let upstreamRequests = try (1...3).map { _ in try browser.setOutToConnect() }
        let back = try zip([.regular, .regular, .hidden], upstreamRequests).map { performer, page in
            try browser.postBack(try browser.choose(performer, on: page))
        }
        #expect(try browser.follow(try browser.get(back[0])).body.contains("Apple is connected"))
        #expect(try browser.follow(try browser.get(back[1])).body.contains("is connected already"))
        let other = try browser.get(back[2])
        #expect(other.status == 409 && other.headline == "Another Apple Account is connected")
        #expect(try site.identities() == [[Self.rita, site.ada]])
    }

    @Test func `of an account by two people at once is one's alone`() throws {
        let browsers = try [site.signedIn(), site.signedIn(as: "ben@acme.example")]
        let back = try browsers.map { try $0.connectUntilBack(.regular) }
        let exchanges = try zip(browsers, back).map { try $0.set(out: $1) }
        let statuses = try exchanges.map { try $0.answer().status }
        #expect(statuses.sorted() == [303, 409])
        #expect(try site.identities().count == 1)
        #expect(try site.actions().count { $0 == "identity.linked" } == 1)
    }

    @Test func `ends on the person's page when they cancel, and in words when Apple fails`() throws {
        site.script.set(.newKey, at: .keys)
        let browser = try site.signedIn()
        #expect(try browser.connect(.reluctant).body.contains("You cancelled at Apple"))

        site.script.set(.trouble, at: .token)
        let trouble = try browser.connect(.regular)
        #expect(trouble.status == 503 && trouble.headline == "Apple does not answer")
        #expect(try site.identities().isEmpty)
        let retry = try #require(trouble.body.firstMatch(between: "button-wide\" href=\"", and: "\""))
        #expect(try browser.follow(try browser.get(retry)).body.contains("Apple is connected"))
        _ = try browser.disconnect()

        for fault in [Fault.otherNonce, .otherAudience, .expired] {
            site.script.set(fault, at: .browser)
            #expect(try browser.connect(.regular).status == 400)
        }
        #expect(try site.identities().isEmpty)
    }
}
