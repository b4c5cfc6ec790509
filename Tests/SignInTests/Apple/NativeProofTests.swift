import Core
import Crypto
import Platform
import Simulator
import Testing

@testable import TestTeams

/// What a native app hands over is believed as far as Apple has signed that it belongs together.
@Suite(.apple) struct `A native handover` {
    @Test func `of one person's token with another's code is refused, and costs nobody anything`() async throws {
        site.publishExtraKey()
        let (rita, hiro) = (try site.device(.regular), try site.device(.hidden))
        var mixed = hiro.filter { $0.key == "client_id" || $0.key == "code" }
        mixed["identity_token"] = rita["identity_token"]

        // The token's c_hash is not the code's, so nobody is asked to redeem that.
        #expect(try site.handOver(mixed).json["error"] == "invalid_grant")
        #expect(try site.people() == [] && site.tokenStates() == [])

        // Without a c_hash the code says who it is about, and is spent by that.
        mixed["identity_token"] = try site.resigned(rita["identity_token"]) { $0["c_hash"] = nil }
        #expect(try site.handOver(mixed).json["error"] == "invalid_grant")
        #expect(try site.people() == [])
        #expect(try site.sessions() == [["0"]])
        let stray = try site.admin("SELECT sub, state FROM upstream_tokens")
        #expect(stray == [[Performer.hidden.subject.rawValue, "ending"]])
        try await site.work { try site.tokenStates() == ["revoked"] }
    }

    @Test func `that is refused leaves Apple's token with the person it is about, who is known`() throws {
        site.publishExtraKey()
        #expect(try site.handOver(try site.device(.hidden)).status == 200)
        var mixed = try site.device(.hidden).filter { $0.key == "client_id" || $0.key == "code" }
        mixed["identity_token"] = try site.resigned(try site.device(.regular)["identity_token"]) { $0["c_hash"] = nil }
        #expect(try site.handOver(mixed).status == 400)
        #expect(try site.people() == [Performer.hidden.subject.rawValue])
        let tokens = try site.admin("SELECT sub, state FROM upstream_tokens")
        #expect(tokens == [[String?]](repeating: [Performer.hidden.subject.rawValue, "live"], count: 2))
    }

    @Test func `gives Apple's token back where nothing says whose it is`() async throws {
        site.script.set(.ahead, at: .token)
        let given = try site.device(.regular).filter { $0.key == "client_id" || $0.key == "code" }
        #expect(try site.handOver(given).status == 400)
        let stray = try site.admin(
            "SELECT s.state FROM upstream_tokens s WHERE NOT EXISTS (SELECT FROM users WHERE sub = s.sub)")
        #expect(try stray == [["ending"]] && site.people() == [])
        try await site.work { try site.tokenStates() == ["revoked"] }
    }

    @Test func `of an old token changes nobody, and brings nobody back`() throws {
        site.publishExtraKey()
        let given = try site.device(.regular)
        #expect(try site.handOver(given).status == 200)
        try site.revokeIdentities()
        let old = [given["identity_token"], try site.resigned(given["identity_token"]) { $0["c_hash"] = nil }]
        for token in old {
            let forged = [
                "client_id": ClientID.app.rawValue, "identity_token": token ?? "", "code": "x", "first_name": "Evil",
            ]
            #expect(try site.handOver(forged).status == 400)
            #expect(try site.names() == [["Rita", "Rita", "revoked"]])
        }

        try site.removePerson(Performer.regular.subject)
        for token in old {
            let forged = ["client_id": ClientID.app.rawValue, "identity_token": token ?? "", "code": "x"]
            #expect(try site.handOver(forged).status == 400)
            #expect(try site.people() == [])
        }
    }

    @Test func `with a token that does not name its code counts once the code has proved it`() throws {
        site.publishExtraKey()
        var given = try site.device(.regular)
        given["identity_token"] = try site.resigned(given["identity_token"]) { $0["c_hash"] = nil }
        site.script.set(.trouble, at: .token)
        #expect(try site.handOver(given).status == 503)
        #expect(try site.people() == [])

        let answer = try site.handOver(given)
        #expect(answer.status == 200 && answer.json["user"]?["name"]?["firstName"] == "Rita")
    }

    @Test func `changes no name that an app has had`() throws {
        #expect(try site.handOver(try site.device(.regular)).status == 200)
        var given = try site.device(.regular)
        (given["first_name"], given["email"]) = ("Evil", "evil@example.com")
        let answer = try site.handOver(given)
        #expect(answer.status == 200 && answer.json["user"]?["name"]?["firstName"] == "Rita")
        #expect(try site.names() == [["Rita", "Rita", "authorized"]])
        #expect(try site.admin("SELECT form_email FROM upstream_identities") == [["rita@icloud.example"]])
    }

    @Test func `of somebody suspended spends no code where the token says who it is`() throws {
        #expect(try site.handOver(try site.device(.regular)).status == 200)
        try site.setSuspended(Performer.regular.subject)
        let calls = site.calls(to: .token)
        let given = try site.device(.regular)
        #expect(try site.handOver(given).json["error"] == "invalid_grant")
        #expect(site.calls(to: .token) == calls)
        #expect(try site.tokenStates() == ["live"])

        let bare = given.filter { $0.key == "client_id" || $0.key == "code" }
        #expect(try site.handOver(bare).json["error"] == "invalid_grant")
        #expect(try site.tokenStates() == ["live", "live"])
    }

    @Test func `is refused with a time that no calendar has`() throws {
        site.publishExtraKey()
        for claim in ["exp", "iat", "auth_time"] {
            for value in [Int64.min, -1, .max] {
                var given = try site.device(.regular)
                given["identity_token"] = try site.resigned(given["identity_token"]) { $0[claim] = .integer(value) }
                let answer = try site.handOver(given)
                #expect(answer.status == 400 && answer.json["error"] == "invalid_grant", "\(claim) \(value)")
            }
        }
        #expect(try site.people() == [])
    }

    @Test func `V60: says how real its person is by Apple's signature, or by a backend's word where Apple signed none`()
        throws
    {
        site.publishExtraKey()
        let own = ["client_secret": try site.teams.secret(of: .app)]
        // Who says 2, what Apple's token says, and what is kept.
        let cases: [(hasSecret: Bool, signed: Int?, hasToken: Bool, kept: String?)] = [
            (false, nil, false, nil), (false, nil, true, nil), (false, 1, true, "1"), (true, nil, false, "2"),
            (true, nil, true, "2"), (true, 1, true, "1"),
        ]
        for (hasSecret, signed, hasToken, kept) in cases {
            var given = try site.device(.hidden).filter { $0.key != "identity_token" || hasToken }
            given["real_user_status"] = "2"
            if hasToken {
                given["identity_token"] = try site.resigned(given["identity_token"]) {
                    $0["real_user_status"] = signed.map { .integer(Int64($0)) }
                }
            }
            if hasSecret { given.merge(own) { $1 } }
            #expect(try site.handOver(given).status == 200)
            let found = try site.admin("SELECT real_user_status FROM upstream_identities")
            #expect(found == [[kept]], "\(hasSecret) \(String(describing: signed)) \(hasToken)")
            try site.removePerson(Performer.hidden.subject)
        }
    }

    @Test func `keeps what Apple signed over what the app says, and no empty name of a transfer`() throws {
        site.publishExtraKey()
        var given = try site.device(.regular)
        given["identity_token"] = try site.resigned(given["identity_token"]) {
            ($0["real_user_status"], $0["transfer_sub"]) = (1, "")
        }
        given["real_user_status"] = "2"
        #expect(try site.handOver(given).status == 200)
        given = try site.device(.regular)
        given["real_user_status"] = "0"
        #expect(try site.handOver(given).status == 200)
        let kept = try site.admin("SELECT real_user_status, transfer_sub FROM upstream_identities")
        #expect(kept == [["1", nil]])
    }
}

/// Apple's name for somebody that is a person's here already.
@Suite(.apple) struct `A sub of Apple's that is here already` {
    private static let importing = """
        INSERT INTO users (team_id, sub, given_name, email) VALUES ('ACMETEAM01', $1, 'Imported', 'old@acme.example')
        """

    @Test func `is the person who was imported under it`() throws {
        try site.admin(Self.importing, Performer.regular.subject.rawValue)
        #expect(try site.handOver(try site.device(.regular)).status == 200)
        #expect(try site.people() == [Performer.regular.subject.rawValue])
    }

    @Test func `is refused where its person has a login name of their own`() throws {
        let subject = Performer.regular.subject.rawValue
        try site.admin(Self.importing, subject)
        try site.admin(
            "INSERT INTO login_names (team_id, login, sub) VALUES ('ACMETEAM01', 'old@acme.example', $1)", subject)
        #expect(try site.handOver(try site.device(.regular)).json["error"] == "invalid_grant")
        #expect(try site.browser().signInAtApple(.regular).status == 400)
        #expect(site.lines.all.contains { $0.contains("\"cause\":\"upstream_subject_taken\"") })
        #expect(try site.people() == [] && site.tokenStates() == [])
        #expect(
            try site.admin("SELECT given_name FROM users WHERE sub = $1 AND team_id = 'ACMETEAM01'", subject) == [
                ["Imported"]
            ])
    }
}

extension TestSite {
    /// Has Apple publish the key that `resigned` signs with; called before anything else is asked of Apple.
    func publishExtraKey() {
        script.set(.newKey, at: .revocation)
        script.set(nil, at: .revocation)
    }

    /// A token of Apple's with other claims.
    func resigned(_ token: String?, _ change: (inout [String: JSONValue]) -> Void) throws -> String {
        var claims = try UnverifiedJWT(try #require(token)).unverifiedClaims.members
        change(&claims)
        return try JWTSigner(key: TestKeys.extra, keyID: "EXTRAKEY01").sign(JSON.encode(JSONValue.object(claims)))
    }

    /// Whom Acme knows from Apple.
    func people() throws -> [String?] {
        try teams.admin("SELECT sub FROM upstream_identities WHERE team_id = 'ACMETEAM01'").map { $0[0] }
    }

    func sessions() throws -> [[String?]] {
        try teams.admin("SELECT count(*) FROM refresh_tokens WHERE team_id = 'ACMETEAM01'")
    }

    /// The names of people of Apple's as they are and as they came, with what Apple says of them.
    func names() throws -> [[String?]] {
        try teams.admin(
            """
            SELECT given_name, form_given_name, state
            FROM upstream_identities JOIN users USING (team_id, sub) WHERE team_id = 'ACMETEAM01'
            """)
    }
}
