import Core
import Crypto
import Platform
import Simulator
import Testing

@testable import TestTeams

/// Signing in at Apple, whose simulator is another engine behind the same port.
@Suite(.apple) struct `Signing in at Apple` {
    @Test func `leads from the app to the app, with Apple's name for the person and what they told Apple`() throws {
        let exit = try site.browser().signInAtApple(.regular)

        #expect(exit.status == 200 && exit.action == TestTeams.callback)
        #expect(exit.value(of: "state") == "state-1")
        let user = try #require(exit.user)
        #expect(user["name"] == ["firstName": "Rita", "lastName": "Regular"])
        #expect(user["email"] == "rita@icloud.example")

        let claims = try site.claims(of: exit)
        #expect(claims["sub"]?.string == Performer.regular.subject.rawValue)
        #expect(claims["email"] == "rita@icloud.example" && claims["email_verified"] == true)
        #expect(claims["nonce"] == "nonce-1" && claims["is_private_email"] == nil)
    }

    @Test func `delivers the name once, and asks nothing more the second time`() throws {
        let browser = site.browser()
        _ = try site.claims(of: try browser.signInAtApple(.regular))

        let exit = try browser.signInAtApple(.regular)
        #expect(exit.status == 200 && exit.value(of: "user") == nil)
        #expect(try site.claims(of: exit)["email"] == "rita@icloud.example")
    }

    @Test func `P17: delivers the name again, until an app has redeemed the code it came with`() throws {
        _ = try site.browser().signInAtApple(.regular)

        let exit = try site.browser().signInAtApple(.regular)
        let user = try #require(exit.user)
        #expect(user["name"] == ["firstName": "Rita", "lastName": "Regular"])
    }

    @Test func `passes a hidden address on as Apple's relay, marked as private`() throws {
        let claims = try site.claims(of: try site.browser().signInAtApple(.hidden))
        #expect(claims["email"]?.string?.hasSuffix("@privaterelay.appleid.com") == true)
        #expect(claims["is_private_email"] == true)
    }

    @Test(arguments: [Performer.managed, .child])
    func `takes an account whose address is not verified, or that has none`(_ performer: Performer) throws {
        let claims = try site.claims(of: try site.browser().signInAtApple(performer))
        #expect(claims["email"]?.string == performer.email?.rawValue)
        #expect(claims["email_verified"] == (performer == .managed ? false : nil))
    }

    @Test func `meets the next of a population at each sign-in, where the simulator was told so`() throws {
        let desk = try site.browser().post("/apple", [("person", "population")], [])
        #expect(desk.status == 303)

        var subjects: [String] = []
        for _ in 0..<2 {
            let browser = site.browser()
            let exit = try browser.get(try browser.postBack(try browser.goToApple()))
            subjects.append(try #require(try site.claims(of: exit)["sub"]?.string))
        }

        #expect(subjects == [Performer.passerby(1), .passerby(2)].map(\.subject.rawValue))
    }

    /// What the desk of the simulator is told of who signs in, and what is chosen there afterwards; nil is a refusal.
    static let choices: [(said: String?, turn: Script.Turn?)] = [
        (nil, .asked), ("", .asked), ("regular", .always(.regular)), ("reluctant", .always(.reluctant)),
        ("population", .population(1_000)), ("nobody", nil), ("Regular", nil), (" ", nil), ("passerby-1", nil),
    ]

    @Test func `refuses a name at the simulator's desk that nobody has, and leaves it as it was`() throws {
        for (said, turn) in Self.choices {
            site.script.turn = .always(.hidden)
            let answer = try site.browser().post("/apple", said.map { [("person", $0)] } ?? [], [])
            #expect(answer.status == (turn == nil ? 400 : 303), "\(said ?? "nothing")")
            #expect(site.script.turn == turn ?? .always(.hidden), "\(said ?? "nothing")")
        }
    }

    @Test func `tells the app that the person cancelled at Apple`() throws {
        let exit = try site.browser().signInAtApple(.reluctant)
        #expect(exit.action == TestTeams.callback && exit.value(of: "error") == "user_cancelled_authorize")
        #expect(exit.value(of: "state") == "state-1" && exit.value(of: "code") == nil)
    }

    @Test func `goes straight there where Apple is the only source, and has no page of ours`() throws {
        let browser = site.browser()
        let page = try browser.get(Browser.authorize(Browser.everything))
        try site.setIdentitySources("apple")

        #expect(try browser.send(page, [("email", "ada@acme.example"), ("password", People.password)]).status == 404)
        for path in [Browser.authorize(Browser.everything), Browser.account + "/session"] {
            let start = try browser.get(path)
            #expect(start.status == 302 && start["Location"]?.contains("/apple/auth/authorize?") == true)
        }
        #expect(try browser.signInAtApple(.regular).value(of: "code") != nil)
    }

    @Test func `leads to the person's own page, as a session`() throws {
        let browser = site.browser()
        try browser.openAccount(.regular)
        let account = try browser.get(Browser.account)
        #expect(account.status == 200 && account.body.contains("rita@icloud.example"))
        // The session is good for pages of ours: an app asks Apple anew.
        #expect(try browser.get(Browser.authorize(Browser.everything)).link("/apple") != nil)
    }

    @Test func `V37: forwards nothing of the app's but what it asks for`() throws {
        let browser = site.browser()
        let challenge = Base64URL.encode(SHA256.hash("a verifier of the app's"))
        let changes = Browser.everything.merging([
            "login_hint": "ada@acme.example", "code_challenge": challenge, "code_challenge_method": "S256",
        ]) { $1 }
        let page = try browser.get(Browser.authorize(changes))
        let away = try browser.get(try #require(page.link("/apple")))
        let url = try #require(away["Location"])
        let query = try #require(url.split(separator: "?", maxSplits: 1).last)
        let fields = try FormCoding.decode(Array(query.utf8), maximumFields: 64)
        #expect(
            Set(fields.map(\.name)) == [
                "client_id", "redirect_uri", "response_type", "response_mode", "state", "nonce", "scope",
                "code_challenge", "code_challenge_method",
            ])
        #expect(!url.contains("state-1") && !url.contains("nonce-1") && !url.contains("acme.example%2Fcallback"))
        #expect(!url.contains(challenge) && url.contains("scope=name%20email"))
    }
}

extension TestSite {
    /// The claims that the app gets for the code of an exit page.
    func claims(of exit: Answer) throws -> [String: JSONValue] { try claims(try redeem(exit)) }
}
