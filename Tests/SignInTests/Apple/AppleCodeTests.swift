import Core
import Crypto
import EventLoop
import Platform
import Simulator
import Testing

@testable import TestTeams

/// A backend that was written for Apple and redeems here, at `/auth/token`, what its app got from Apple.
@Suite(.apple) struct `Apple's code at the token endpoint` {
    /// What such a backend posts.
    private func redemption(_ code: String?, of client: ClientID = .app, in team: TeamID = .acme) throws -> [String:
        String?]
    {
        [
            "client_id": client.rawValue, "client_secret": try site.teams.secret(of: client, in: team),
            "grant_type": "authorization_code", "code": code,
        ]
    }

    private func redeem(_ code: String?, _ changes: [String: String?] = [:]) throws -> Answer {
        try site.post("/t/ACMETEAM01/auth/token", try redemption(code).merging(changes) { $1 })
    }

    @Test func `gets Apple's answer, member for member, and a refresh token that lasts`() throws {
        let nonce = Hex.encode(SHA256.hash("the app's nonce"))
        let given = try site.device(.regular, nonce: nonce)

        let answer = try redeem(given["code"])

        #expect(answer.status == 200)
        guard case .object(let members) = answer.json else { throw TestFailure(answer.text) }
        #expect(members.keys.sorted() == ["access_token", "expires_in", "id_token", "refresh_token", "token_type"])
        let claims = try site.claims(answer)
        #expect(claims["sub"]?.string == Performer.regular.subject.rawValue)
        #expect(claims["aud"]?.string == ClientID.app.rawValue && claims["nonce"]?.string == nonce)
        #expect(claims["iss"]?.string == site.teams.server.base(of: .acme))

        let token = try #require(answer.json["refresh_token"]?.string)
        for _ in 0..<2 {
            let refreshed = try redeem(nil, ["grant_type": "refresh_token", "refresh_token": token, "code": nil])
            #expect(refreshed.status == 200 && refreshed.json["refresh_token"] == nil)
        }
        #expect(try site.tokenStates() == ["live"])
    }

    @Test func `is taken beside what backends send with it`() throws {
        for more in [
            ["redirect_uri": "https://acme.example/callback"], ["code_verifier": "v"], ["scope": "name email"],
            [
                "client_secret": try site.teams.secret(of: .app) {
                    $0.claims["exp"] = .number(Double(site.clock.now.seconds) + 86_400.5)
                }
            ],
        ] {
            let answer = try redeem(try site.device(.regular)["code"], more)
            #expect(answer.status == 200, "\(more): \(answer.text)")
        }
    }

    @Test func `V8, V59: works once, as at Apple, however many send it at once, and at whichever door it comes again`()
        throws
    {
        let form = try site.redemption(ofApples: try site.device(.regular)["code"])
        let exchanges = try (0..<10).map { _ in try site.setOut("/t/ACMETEAM01/auth/token", form) }
        let answers = try exchanges.map { try $0.answer() }
        #expect(answers.count { $0.status == 200 } == 1)
        // 503 while the first was under way: nobody knew yet whether Apple would take the code.
        #expect(answers.allSatisfy { [200, 503].contains($0.status) || $0.json["error"] == "invalid_grant" })
        let late = try site.post("/t/ACMETEAM01/auth/token", form)
        #expect(late.status == 400)
        #expect(late.body == #"{"error":"invalid_grant","error_description":"The code has already been used."}"#)
        #expect(try site.handOver(form).json["error"] == "invalid_grant")
        #expect(try site.sessions() == [["1"]])

        let other = try site.redemption(ofApples: try site.device(.regular)["code"])
        #expect(try site.handOver(other).status == 200 && site.handOver(other).status == 200)
        #expect(try site.post("/t/ACMETEAM01/auth/token", other).json["error"] == "invalid_grant")
        #expect(try site.sessions() == [["2"]])
    }

    @Test func `is refused in Apple's words, and the inspector says whose code it was`() async throws {
        let apples = try site.device(.regular)["code"] ?? ""
        let ours = try #require(try site.browser().signInAtApple(.regular).value(of: "code"))
        let dead = "The code has expired or has been revoked."
        let unknown = "c\(String(repeating: "0", count: 32)).0.nrqt.\(String(repeating: "A", count: 22))"
        let cases: [(code: String, client: ClientID, description: String?, issuer: String?)] = [
            (unknown, .app, dead, "Apple"),
            (ours, .app, "client_id mismatch. The code was not issued to com.acme.app.", "Pippin"),
            (unknown, .web, dead, "Apple"), (apples, .web, dead, nil),
        ]
        for (code, client, description, _) in cases {
            let answer = try site.post("/t/ACMETEAM01/auth/token", try redemption(code, of: client))
            #expect(answer.status == 400 && answer.json["error"] == "invalid_grant", "\(code)")
            #expect(answer.json["error_description"]?.string == description, "\(code)")
            site.clock.advance(by: .seconds(1))
        }
        try await site.flush()
        let events = try site.admin(
            """
            SELECT event FROM (
                SELECT event::text FROM trace_events WHERE team_id = 'ACMETEAM01'
                UNION ALL SELECT opening::text FROM traces WHERE team_id = 'ACMETEAM01'
            ) AS events (event)
            WHERE event::json->>'kind' = 'token_refused' ORDER BY event::json->>'at'
            """)
        #expect(events.count == cases.count)
        for (event, expected) in zip(events, cases) {
            let known = expected.issuer.map { #""known":["issuer","\#($0)"]"# }
            #expect(known.map { event[0]?.contains($0) == true } ?? (event[0]?.contains("issuer") == false), "\(event)")
        }
        // None of it has spent the codes.
        #expect(try redeem(apples).status == 200)
        #expect(try site.post("/t/ACMETEAM01/auth/token", try site.redemption(of: ours)).status == 200)
    }

    @Test
    func `is not asked of Apple for a Service ID, for an App ID without a connection and without a client secret`()
        throws
    {
        let before = site.calls(to: .token)
        let code = try site.device(.regular)["code"]
        for client in [ClientID.web, .other] {
            let refused = try site.post("/t/ACMETEAM01/auth/token", try redemption(code, of: client))
            #expect(refused.status == 400 && refused.json["error"] == "invalid_grant")
        }
        #expect(try redeem(code, ["client_secret": nil]).json["error"] == "invalid_client")
        #expect(try redeem(code, ["client_secret": try site.teams.secret(of: .web)]).json["error"] == "invalid_client")
        #expect(try redeem(code, ["code": "x", "grant_type": "refresh_token"]).json["error"] == "invalid_request")
        try site.setIdentitySources("directory")
        #expect(try redeem(code).json["error"] == "invalid_grant")
        #expect(site.calls(to: .token) == before)
        try site.setIdentitySources("directory,apple")
        #expect(try redeem(code).status == 200)
    }

    @Test func `is no other team's, connected to Apple or not`() async throws {
        let code = try site.device(.regular)["code"]
        let form = try redemption(code, of: .rivalApp, in: .rival)
        let before = site.calls(to: .token)
        #expect(try site.post("/t/RIVALTEAM1/auth/token", form).json["error"] == "invalid_grant")
        #expect(site.calls(to: .token) == before)
        #expect(try site.post("/t/ACMETEAM01/auth/token", form).json["error"] == "invalid_client")

        try await site.teams.loop.run { try await site.teams.connectRival() }
        #expect(try site.post("/t/RIVALTEAM1/auth/token", form).status == 400)
        #expect(try site.count("refresh_tokens", in: .rival) == 0)
        #expect(try redeem(code).status == 200)
    }

    @Test func `waits for Apple as a native handover does, and is spent once`() throws {
        let code = try site.device(.regular)["code"]
        site.script.set(.trouble, at: .token)
        let busy = try redeem(code)
        #expect(busy.status == 503 && busy.json["error"] == "temporarily_unavailable")
        #expect(try redeem(code).status == 200)
    }

    @Test func `brings tokens of Apple's issuer where the bundle ID is set so`() throws {
        try site.admin(
            "UPDATE app_ids SET issuer = 'apple' WHERE team_id = 'ACMETEAM01' AND identifier = 'com.acme.app'")
        let claims = try site.claims(try redeem(try site.device(.regular)["code"]))
        #expect(claims["iss"] == "https://appleid.apple.com" && claims["aud"]?.string == ClientID.app.rawValue)
        #expect(try site.claims(try site.handOver(try site.device(.regular)))["iss"] == "https://appleid.apple.com")
        let web = try site.redeem(try site.browser().signInAtApple(.regular))
        #expect(try site.claims(web)["iss"]?.string == site.teams.server.base(of: .acme))
    }
}

/// A network or a backend that tries one code after the other.
@Suite struct `Codes of nobody at the token endpoint` {
    @Test(.apple(limits: ["failed-handovers": 3])) func `V47: are counted as failed handovers of the client`() throws {
        func redeem(_ code: String, in team: String = "ACMETEAM01", _ client: ClientID = .app) throws -> Answer {
            let own = team == "ACMETEAM01" ? TeamID.acme : .rival
            return try site.post(
                "/t/\(team)/auth/token",
                [
                    "client_id": client.rawValue, "client_secret": try site.teams.secret(of: client, in: own),
                    "grant_type": "authorization_code", "code": code,
                ])
        }
        for number in 0..<3 { #expect(try redeem("wrong-\(number)").status == 400) }
        let before = site.calls(to: .token)
        let refused = try redeem("wrong-3")
        #expect(refused.status == 429 && refused["Retry-After"] == "60")
        #expect(site.calls(to: .token) == before)
        #expect(try redeem("wrong", in: "RIVALTEAM1", .rivalApp).status == 400)
        site.clock.advance(by: .seconds(61))
        #expect(try redeem(try #require(try site.device(.regular)["code"])).status == 200)
    }
}

/// How apps write what Apple's framework gave them.
@Suite(.apple) struct `A native app's spelling` {
    @Test(arguments: [["code"], ["identity_token"], ["code", "identity_token"]]) func `in base64 is read as what it is`(
        _ names: [String]
    ) throws {
        for isPadded in [true, false] {
            var given = try site.device(.regular)
            for name in names {
                let text = Base64.encode(Array(try #require(given[name]).utf8))
                #expect(name == "code" || text.hasPrefix("ZXlK"))
                given[name] = isPadded ? text : text.replacing("=", with: "")
            }
            #expect(try site.handOver(given).status == 200, "\(names)")
        }
    }

    @Test func `in base64 is the same handover as without`() throws {
        let given = try site.device(.regular)
        var wrapped = given
        wrapped["code"] = Base64.encode(Array(try #require(given["code"]).utf8))
        #expect(try site.handOver(wrapped).status == 200 && site.handOver(given).status == 200)
        #expect(try site.sessions() == [["1"]])
    }

    @Test func `in base64 twice, or of another text, is refused and spends nothing`() throws {
        let given = try site.device(.regular)
        let once = Base64.encode(Array(try #require(given["code"]).utf8))
        for text in [Base64.encode(Array(once.utf8)), Base64.encode(Array("another text".utf8)), "YQ=="] {
            let refused = try site.handOver(given.merging(["code": text]) { $1 })
            #expect(refused.status == 400 && refused.json["error"] == "invalid_grant", "\(text)")
        }
        #expect(try site.handOver(given).status == 200)
    }

    @Test func `of the nonce's digest may be any, of another nonce none`() throws {
        let digest = SHA256.hash("the app's nonce?>")
        let hex = Hex.encode(digest)
        let spellings = [
            hex, hex.uppercased(), Base64.encode(digest), Base64.encode(digest).replacing("=", with: ""),
            Base64URL.encode(digest), Base64URL.encode(digest) + "=",
        ]
        for sent in spellings {
            var given = try site.device(.regular, nonce: sent)
            given["nonce"] = "the app's nonce?>"
            #expect(try site.handOver(given).status == 200, "\(sent)")

            given = try site.device(.regular, nonce: sent)
            given["nonce"] = "another nonce"
            #expect(try site.handOver(given).json["error"] == "invalid_grant", "\(sent)")
        }
        for sent in [String(hex.dropLast(2)), hex + "00", String(hex.dropLast()), "the app's NONCE?>", ""] {
            var given = try site.device(.regular, nonce: sent)
            given["nonce"] = "the app's nonce?>"
            #expect(try site.handOver(given).json["error"] == "invalid_grant", "\(sent)")
        }
    }
}
