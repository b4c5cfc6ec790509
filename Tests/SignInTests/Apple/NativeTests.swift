import Core
import Crypto
import Platform
import Simulator
import Testing

@testable import TestTeams

/// `/auth/native`: an app hands over what Apple gave it.
@Suite(.apple) struct `A native app` {
    @Test func `P17: gets tokens for Apple's code, with the name from the vault`() throws {
        let answer = try site.handOver(try site.device(.regular))

        #expect(answer.status == 200 && answer.json["token_type"] == "Bearer")
        #expect(answer.json["is_new_user"] == true)
        #expect(answer.json["user"]?["name"] == ["firstName": "Rita", "lastName": "Regular"])
        let claims = try site.claims(answer)
        #expect(claims["sub"]?.string == Performer.regular.subject.rawValue)
        #expect(claims["aud"]?.string == ClientID.app.rawValue)

        let second = try site.handOver(try site.device(.regular))
        #expect(second.json["is_new_user"] == false)
        #expect(second.json["user"]?["name"] == ["firstName": "Rita", "lastName": "Regular"])
    }

    @Test(arguments: [["code"], ["code", "first_name", "last_name"], ["code", "identity_token"]])
    func `may hand over the code alone, or with whatever it has`(_ names: [String]) throws {
        let given = try site.device(.regular).filter { $0.key == "client_id" || names.contains($0.key) }
        let answer = try site.handOver(given)
        #expect(answer.status == 200)
        #expect(try site.claims(answer)["email"] == "rita@icloud.example")
        let hasName = names.contains("first_name")
        #expect((answer.json["user"]?["name"]?["firstName"] == "Rita") == hasName)
    }

    @Test func `asks the same again within a minute: one session, under new tokens`() throws {
        let given = try site.device(.regular)
        let first = try site.handOver(given)
        let second = try site.handOver(given)

        #expect(second.status == 200 && second.json["is_new_user"] == true)
        #expect(try site.refresh(try #require(first.json["refresh_token"]?.string)).status == 400)
        #expect(try site.refresh(try #require(second.json["refresh_token"]?.string)).status == 200)
        #expect(try site.count("refresh_tokens", in: .acme) == 1)

        site.clock.advance(by: .seconds(61))
        #expect(try site.handOver(given).json["error"] == "invalid_grant")
    }

    @Test func `finds its nonce in Apple's token in every form libraries give it`() throws {
        let digest = SHA256.hash("the app's nonce")
        for sent in ["the app's nonce", Hex.encode(digest), Base64URL.encode(digest)] {
            var given = try site.device(.regular, nonce: sent)
            given["nonce"] = "the app's nonce"
            #expect(try site.handOver(given).status == 200, "\(sent)")

            given = try site.device(.regular, nonce: sent)
            given["nonce"] = "another nonce"
            let refused = try site.handOver(given)
            #expect(refused.status == 400 && refused.json["error"] == "invalid_grant", "\(sent)")
        }
    }

    @Test func `is refused what Apple gave to somebody else`() throws {
        let given = try site.device(.regular)
        let refusals: [([String: String?], String)] = [
            (["user": Performer.hidden.subject.rawValue], "invalid_grant"),
            (["client_id": ClientID.sister.rawValue], "invalid_grant"),
            (["client_id": ClientID.web.rawValue], "invalid_client"),
            (["client_id": ClientID.other.rawValue], "invalid_client"),
            (["client_id": "com.acme.nobody"], "invalid_client"), (["code": nil], "invalid_request"),
            (["client_id": nil], "invalid_request"), (["code": "not a code of Apple's"], "invalid_grant"),
        ]
        for (change, error) in refusals {
            let body = given.merging(change.compactMapValues { $0 }) { $1 }.filter { change[$0.key] != .some(.none) }
            let answer = try site.handOver(body)
            #expect(answer.status == 400 && answer.json["error"]?.string == error, "\(change)")
        }
        #expect(try site.handOver(given, in: "RIVALTEAM1").json["error"] == "invalid_client")
        // None of it has spent the code.
        #expect(try site.handOver(given).status == 200)
    }

    @Test func `is refused what Apple gave to a wrapper such as Expo Go, which is named`() throws {
        site.publishExtraKey()
        var given = try site.device(.regular)
        let genuine = given["identity_token"]
        for (audience, name) in [
            ("host.exp.Exponent", "Expo Go"), ("org.nativescript.preview", "NativeScript Preview"),
        ] {
            given["identity_token"] = try site.resigned(genuine) { $0["aud"] = .string(audience) }
            var wrapped = given
            wrapped["client_id"] = audience

            for (sent, error) in [(given, "invalid_grant"), (wrapped, "invalid_client")] {
                let answer = try site.handOver(sent)
                #expect(answer.status == 400 && answer.json["error"]?.string == error)
                let description = answer.json["error_description"]?.string ?? ""
                #expect(description.contains(name) && description.contains("its own bundle ID"), "\(answer.text)")
            }
        }
        // None of it has spent the code.
        given["identity_token"] = genuine
        #expect(try site.handOver(given).status == 200)
    }

    @Test func `V11: is refused a token that Apple issued to the web`() throws {
        let exit = try site.browser().choose(.regular, on: try site.browser().goToApple())
        var given = try site.device(.regular)
        given["identity_token"] = exit.value(of: "id_token")
        #expect(given["identity_token"]?.isEmpty == false)
        let answer = try site.handOver(given)
        #expect(answer.status == 400 && answer.json["error"] == "invalid_grant")
    }
}

/// Refresh tokens of clients that can keep no secret.
@Suite(.apple) struct `The session of a public client` {
    @Test func `goes on under a new refresh token each time, with client_id alone`() throws {
        var token = try site.nativeToken()
        for _ in 0..<3 {
            let answer = try site.refresh(token)
            #expect(answer.status == 200 && answer.json["id_token"] != nil)
            let next = try #require(answer.json["refresh_token"]?.string)
            #expect(next != token)
            token = next
        }
    }

    @Test func `ends when a refresh token is used a second time`() throws {
        let first = try site.nativeToken()
        let second = try #require(try site.refresh(first).json["refresh_token"]?.string)

        #expect(try site.refresh(first).json["error"] == "invalid_grant")
        #expect(try site.refresh(second).json["error"] == "invalid_grant")
        #expect(try site.actions().contains("refresh_token.reused"))
    }

    @Test func `V53: ends when a refresh token is used twice at once`() async throws {
        let token = try site.nativeToken()
        let own = "WHERE team_id = 'ACMETEAM01' AND revoked_at IS NULL"
        // What the other use does, that came first.
        let answer = try await site.teams.hold(
            ("SELECT FROM refresh_tokens \(own) FOR NO KEY UPDATE", []),
            while: { Task.detached { [site] in try site.refresh(token).json["error"]?.string } },
            then: [("UPDATE refresh_tokens SET secret_hash = sha256('another') \(own)", [])])

        #expect(try await answer.value == "invalid_grant")
        #expect(try site.admin("SELECT FROM refresh_tokens \(own)").isEmpty)
        #expect(try site.actions().contains("refresh_token.reused"))
    }

    @Test func `V53: lasts through a suspension, whatever the app tries meanwhile`() throws {
        let token = try site.nativeToken()
        try site.setSuspended(Performer.regular.subject)
        for _ in 0..<2 { #expect(try site.refresh(token).json["error"] == "invalid_grant") }
        try site.setSuspended(Performer.regular.subject, false)
        #expect(try site.refresh(token).status == 200)
        #expect(try !site.actions().contains("refresh_token.reused"))
    }

    @Test func `is no other client's and no other team's`() throws {
        let token = try site.nativeToken()
        #expect(try site.refresh(token, client: .sister).status == 400)
        #expect(try site.refresh(token, in: "RIVALTEAM1").status == 400)
        #expect(try site.refresh(token).status == 200)
    }

    @Test func `is revoked with client_id alone`() throws {
        let token = try site.nativeToken()
        let revoked = try site.post("/t/ACMETEAM01/auth/revoke", ["client_id": ClientID.app.rawValue, "token": token])
        #expect(revoked.status == 200)
        #expect(try site.refresh(token).json["error"] == "invalid_grant")
        #expect(try site.handOver(try site.device(.newcomer)).status == 200)
    }

    @Test func `is Apple's kind where a backend proves itself`() throws {
        var given = try site.device(.regular)
        given["client_secret"] = try site.teams.secret(of: .app)
        let token = try #require(try site.handOver(given).json["refresh_token"]?.string)

        #expect(try site.refresh(token).json["error"] == "invalid_client")
        for _ in 0..<2 {
            let answer = try site.post(
                "/t/ACMETEAM01/auth/token",
                [
                    "client_id": ClientID.app.rawValue, "client_secret": try site.teams.secret(of: .app),
                    "grant_type": "refresh_token", "refresh_token": token,
                ])
            #expect(answer.status == 200 && answer.json["refresh_token"] == nil)
        }
    }
}

extension TestSite {
    /// What Apple gives an app on a device.
    func device(_ performer: Performer, nonce: String? = nil) throws -> [String: String] {
        let answer = try post(
            "/apple/device", ["client_id": ClientID.app.rawValue, "person": performer.rawValue, "nonce": nonce])
        guard case .object(let members) = answer.json else { throw TestFailure(answer.text) }
        return members.compactMapValues(\.string)
    }

    func handOver(_ given: [String: String], in team: String = "ACMETEAM01") throws -> Answer {
        try post("/t/\(team)/auth/native", given)
    }

    /// The refresh token that a native app gets for Rita.
    func nativeToken() throws -> String {
        try #require(try handOver(try device(.regular)).json["refresh_token"]?.string)
    }

    /// As an app does, which has no secret.
    func refresh(_ token: String, client: ClientID = .app, in team: String = "ACMETEAM01") throws -> Answer {
        try post(
            "/t/\(team)/auth/token",
            ["client_id": client.rawValue, "grant_type": "refresh_token", "refresh_token": token])
    }

    func claims(_ answer: Answer) throws -> [String: JSONValue] {
        try UnverifiedJWT(try #require(answer.json["id_token"]?.string)).unverifiedClaims.members
    }
}
