import Core
import Crypto
import Directory
import EventLoop
import Platform
import TestAuthenticator
import Testing

@testable import TestTeams

/// Second factors of the cast, and what their devices answer.
extension TestSite {
    static let origin = TestTeams.publicURL
    static let party = "pippin.example"

    /// Gives somebody an authenticator app, as they would have added it an hour ago.
    @discardableResult func addTOTP(to subject: Subject? = nil, in team: TeamID = .acme) async throws -> TOTPSecret {
        let (teams, subject) = (teams, subject ?? teams.people.ada)
        let secret = TOTPSecret(random: .system)
        let then = teams.clock.now - .seconds(3600)
        try await teams.loop.run {
            _ = try await TOTPStore(teams.database, keyRing: teams.server.keyRing).enrol(
                secret, provedBy: TOTP.code(of: secret, step: TOTP.step(atSeconds: then.seconds)), of: subject,
                in: team, from: TestTeams.origin, at: then)
        }
        return secret
    }

    /// The code that an app shows now, or so many steps later.
    func code(of secret: TOTPSecret, later steps: Int = 0) -> String {
        TOTP.code(of: secret, step: TOTP.step(atSeconds: teams.clock.now.seconds) + steps)
    }

    /// What the team asks beside a password.
    func require(_ rule: SecondFactor, in team: TeamID = .acme) throws {
        try teams.admin("UPDATE teams SET second_factor = $1 WHERE team_id = $2", rule.rawValue, team.rawValue)
    }

    func authenticator() throws -> SoftAuthenticator { try SoftAuthenticator(party: Self.party, origin: Self.origin) }
}

extension SoftAuthenticator {
    /// Fills a page's form as the browser's script does after `create()`.
    mutating func register(_ form: PageForm, named name: String = "Ada's phone") throws -> [(String, String)] {
        let options = try Self.options(of: form)
        userHandle = options["user"]?["id"]?.string.flatMap { Base64URL.decode($0) }
        let answer = register(challenge: try Self.challenge(of: options))
        return [
            ("method", "passkey"), ("name", name), ("client_data", Base64URL.encode(answer.clientDataJSON)),
            ("authenticator_data", Base64URL.encode(answer.authenticatorData)), ("transports", "internal hybrid"),
        ]
    }

    /// Fills a page's form as the browser's script does after `get()`.
    func assert(_ form: PageForm) throws -> [(String, String)] {
        let options = try Self.options(of: form)
        let answer = try assert(challenge: try Self.challenge(of: options))
        return [
            ("method", "passkey"), ("credential_id", Base64URL.encode(credentialID)),
            ("client_data", Base64URL.encode(answer.clientDataJSON)),
            ("authenticator_data", Base64URL.encode(answer.authenticatorData)),
            ("signature", Base64URL.encode(answer.signature)), ("user_handle", Base64URL.encode(userHandle ?? [])),
        ]
    }

    private static func options(of form: PageForm) throws -> JSONValue {
        let text = try #require(form.passkeyOptions)
        return try JSON.decode(JSONValue.self, from: Array(text.utf8))
    }

    private static func challenge(of options: JSONValue) throws -> [UInt8] {
        let text = options["challenge"]?.string ?? ""
        return try #require(Base64URL.decode(text))
    }
}

extension Answer {
    /// The form that adds the authenticator app whose key the page shows, with what is typed for it.
    func totpOffer(to end: String) throws -> (form: PageForm, secret: TOTPSecret, values: [(String, String)]) {
        let typed = try #require(body.firstMatch(between: "<code>", and: "</code>"))
        let (form, secret) = (try form(to: end), try #require(TOTPSecret(text: typed)))
        let offer = ("offer", try #require(form.value(of: "offer")))
        return (form, secret, [("method", "totp"), offer, ("code", site.code(of: secret))])
    }
}

extension Browser {
    /// Types the password at a page that asks for it, and follows to what is asked next.
    func typePassword(_ email: String = "ada@acme.example", at start: String = account + "/session") throws -> Answer {
        let typed = [("email", email), ("password", People.password), ("decision", "continue")]
        return try follow(try send(try get(start).form(to: "/password"), typed))
    }

    func passkeyForm() throws -> PageForm { try get(Self.account + "/factors/passkeys").form(to: "/factors/passkeys") }

    /// Adds a passkey on the person's own page.
    @discardableResult func add(_ key: inout SoftAuthenticator, named name: String = "Ada's phone") throws -> Answer {
        let form = try passkeyForm()
        return try send(form, try key.register(form, named: name))
    }

    /// The address of the page of the person's passkey.
    func passkeyPage() throws -> String {
        let link = try get(Self.account).body.firstMatch(between: "/account/factors/passkeys/", and: "\"")
        return Self.account + "/factors/passkeys/" + (try #require(link))
    }
}
