import Core
import EventLoop
import Platform
import Testing

@testable import SignIn
@testable import TestTeams

/// Which limits the addresses of a team are counted by.
@Suite struct `A route's limit` {
    /// One that stores or hashes something for whoever comes, with what a browser sends there again and again.
    private enum Route: CaseIterable {
        case authorize, session, toApple, answerOfApple, backFromApple, native, registration, recovery, passkey, notice
        case password, straightToApple

        func prepare() throws -> () throws -> Answer {
            let (browser, form) = (site.browser(), [TestSite.form])
            switch self {
            case .authorize: return { try site.ask("GET", Browser.authorize()) }
            case .session: return { try site.ask("GET", Browser.account + "/session") }
            case .answerOfApple: return { try site.ask("POST", Browser.callback, form, body: "state=x") }
            case .backFromApple: return { try site.ask("GET", Browser.callback) }
            case .native: return { try site.handOver(["client_id": ClientID.app.rawValue, "code": "wrong"]) }
            case .notice: return { try site.ask("POST", `Apple's notifications`.path, body: "{}") }
            case .straightToApple:
                let known = try site.consented()
                let step = try #require(try known.get(Browser.authorize())["Location"])
                try site.useAlone("apple")
                return { try known.get(step) }
            case .toApple, .registration, .recovery, .passkey, .password: break
            }
            let start = try browser.get(Browser.authorize())
            if self == .password { return { try browser.signIn(start, password: "wrong") } }
            if self == .passkey {
                let passkey = try start.form(to: "/passkey")
                return { try browser.send(passkey, [("credential_id", "AAAA")]) }
            }
            let link = try #require(start.link(self == .toApple ? "/apple" : "/\(self)"))
            guard self != .toApple else { return { try browser.get(link) } }
            let page = try browser.get(link)
            return { try browser.send(page, [("email", "dora@acme.example"), ("new", "short")]) }
        }
    }

    @Test(.apple(limits: ["unauthenticated-writes": 3]))
    func `S18, V43: without a session is of its network, and a team's alone`() throws {
        for route in Route.allCases {
            site.clock.advance(by: .seconds(61))
            let send = try route.prepare()
            site.clock.advance(by: .seconds(61))
            for _ in 0..<3 { #expect(try send().status != 429, "\(route)") }
            let refused = try send()
            #expect(refused.status == 429, "\(route)")
            #expect(refused["Retry-After"].flatMap { Int($0) }.map { (1...60).contains($0) } == true, "\(route)")
            #expect(try site.ask("GET", "/t/RIVALTEAM1/account/session").status == 200, "\(route)")
        }
    }

    /// A network may send what 500 whole sign-ins a minute need: sixty need no more than sixty of 500 parts of it.
    @Test(.site(limits: ["unauthenticated-writes": RateLimit.unauthenticatedWrites.count * 60 / 500]))
    func `of sixty people behind one address keeps none from signing in within a minute, nor would of 500`() throws {
        try site.addPupils(60)
        for number in 1...60 {
            let browser = site.browser()
            let page = try browser.get(Browser.authorize(Browser.everything))
            let sheet = try browser.signIn(page, email: "pupil\(number)@acme.example")
            let exit = try browser.send(sheet, [("email_choice", "share"), ("decision", "continue")])
            #expect(try site.redeem(exit).status == 200, "\(number)")
        }
    }

    @Test(.site(limits: ["failed-proofs": 3]))
    func `S30, V43, V46: of proofs is of the account whose password or code is guessed, and nobody else's`()
        async throws
    {
        let secret = try await site.addTOTP(to: site.teams.people.ben)
        let (stranger, own, ben) = (site.browser(), try site.signedIn(), site.browser())
        let page = try stranger.get(Browser.authorize())
        let code = try ben.typePassword("ben@acme.example").form(to: "/factor")
        let guesses: [(status: Int, send: () throws -> Answer)] = [
            (
                422,
                {
                    // Whatever the browser calls itself.
                    let name = [UInt8](repeating: UInt8(truncatingIfNeeded: site.lines.targets.count), count: 16)
                    own.keep(Browser.browserCookie, Base64URL.encode(name))
                    let page = try own.get(Browser.account + "/password")
                    return try own.send(page, [("current", "wrong"), ("new", "a wholly other secret")])
                }
            ), (401, { try stranger.signIn(page, password: "wrong") }),
            (401, { try ben.send(code, [("method", "totp"), ("code", "1")]) }),
        ]
        for (status, send) in guesses {
            for _ in 0..<3 { #expect(try send().status == status) }
            let refused = try send()
            #expect(refused.status == 429)
            #expect(refused["Retry-After"].flatMap { Int($0) }.map { (1...900).contains($0) } == true)
        }
        #expect(site.judges.callCount == 0)
        #expect(try stranger.signIn(page, email: "cleo@acme.example", password: "wrong").status == 401)
        #expect(try stranger.signIn(page).status == 429)
        site.clock.advance(by: .seconds(900))
        let again = try ben.typePassword("ben@acme.example").form(to: "/factor")
        #expect(try ben.send(again, [("method", "totp"), ("code", site.code(of: secret))]).status == 303)
    }

    @Test(.site(limits: ["changes": 3]))
    func `V40, V43: of changes is of the person, and what another site sends counts for nothing`() throws {
        let browser = try site.consented()
        let csrf = try #require(try browser.get(Browser.account).value(of: "csrf"))
        func stop(_ fields: [String]? = nil) throws -> Answer {
            try browser.post("\(Browser.account)/apps/com.acme.none/end", [("csrf", csrf)], fields)
        }
        let foreign = ["Origin: https://app.pippin.example", "Sec-Fetch-Site: same-site"]
        for _ in 0..<5 { #expect(try stop(foreign).status == 403) }
        let answers = try (0..<4).map { _ in try stop() }
        #expect(answers.map(\.status) == [303, 303, 303, 429])
        #expect(answers.last?["Retry-After"] == "600" && answers.last?.headline == "Too many attempts")
        #expect(try browser.get(Browser.account).status == 200)

        let ben = try site.signedIn(as: "ben@acme.example")
        let bens = try #require(try ben.get(Browser.account).value(of: "csrf"))
        #expect(try ben.post(Browser.account + "/sessions/end", [("csrf", bens)]).status == 303)
        site.clock.advance(by: .seconds(600))
        #expect(try stop().status == 303)
    }

    @Test(.site(limits: ["changes": 3]))
    func `V43: keeps no person from ending sessions, whoever got hold of one and used it up`() throws {
        let thief = site.browser()
        let stolen = try #require(try thief.openOwnPage().value(of: "csrf"))
        for _ in 0..<5 {
            _ = try thief.post("\(Browser.account)/apps/com.acme.none/end", [("csrf", stolen)])
            _ = try thief.post("\(Browser.account)/sessions/end", [("csrf", "none of ours")])
        }
        #expect(try thief.post("\(Browser.account)/sessions/end", [("csrf", stolen)]).status == 429)

        let browser = site.browser()
        let csrf = try #require(try browser.openOwnPage().value(of: "csrf"))
        #expect(try browser.post("\(Browser.account)/sessions/end", [("csrf", csrf)]).status == 303)
        #expect(try site.actions().contains("sessions.ended"))
        #expect(try thief.get(Browser.account).status == 303)
    }

    @Test(.site) func `S18, V43: of a request to sign in is 16 KiB, of which little is kept`() throws {
        let body = "state=" + String(repeating: "x", count: 20_000)
        let answer = try site.ask("POST", "/t/ACMETEAM01/auth/authorize", [TestSite.form], body: body)
        #expect(answer.status == 413)
        let longest = ["state": 4096, "nonce": 512, "login_hint": 2048]
        let accepted = longest.mapValues { String(repeating: "x", count: $0) }
        #expect(try site.browser().get(Browser.authorize(accepted)).status == 200)
        for name in longest.keys {
            _ = try site.browser().get(Browser.authorize(accepted.merging([name: (accepted[name] ?? "") + "x"]) { $1 }))
        }
        let kept = try site.admin("SELECT octet_length(a::text) FROM interactions AS a WHERE team_id = 'ACMETEAM01'")
        #expect(kept.count == 1 && kept.first?[0].flatMap { Int($0) }.map { $0 < 6_000 } == true, "\(kept)")
    }
}

extension TestSite {
    /// Adds `pupil1@acme.example` and on, with Ada's password.
    fileprivate func addPupils(_ count: Int) throws {
        let sub = "left(sub, -4) || lpad(n::text, 4, '0')"
        let pupils = "generate_series(1, \(count)) AS n WHERE team_id = 'ACMETEAM01' AND sub = $1"
        for insertion in [
            """
            INTO users (team_id, sub, given_name, family_name, email, is_email_verified)
            SELECT team_id, \(sub), 'Pupil', n::text, 'pupil' || n || '@acme.example', true FROM users, \(pupils)
            """, "INTO passwords (team_id, sub, hash) SELECT team_id, \(sub), hash FROM passwords, \(pupils)",
            """
            INTO login_names (team_id, sub, login)
            SELECT team_id, \(sub), 'pupil' || n || '@acme.example' FROM users, \(pupils)
            """,
        ] { try teams.admin("INSERT \(insertion)", teams.people.ada.rawValue) }
    }
}
