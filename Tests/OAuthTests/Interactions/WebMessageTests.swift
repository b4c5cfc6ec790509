import Core
import Directory
import Platform
import Testing

@testable import OAuth
@testable import TestTeams

/// The answer to a popup window; point P15 of the conformance list.
@Suite struct WebMessageTests {
    private static let popup: Changes = [
        "response_type": "code id_token", "response_mode": "web_message", "scope": "name email",
        "state": "s\"</script>",
    ]

    @Test func `P15: the message is oauthDone with code, token and state, and user as an object once`() async throws {
        try await withEngine { engine in
            let answer = try await engine.signIn(to: .web, Self.popup)
            let message = try Self.json(answer.message)
            #expect(message["method"] == "oauthDone")
            let data = try #require(message["data"])
            #expect(data["authorization"]?["code"]?.string == answer["code"])
            #expect(data["authorization"]?["id_token"]?.string == answer["id_token"])
            #expect(data["authorization"]?["state"] == "s\"</script>")
            #expect(data["user"]?["name"] == ["firstName": "Ada", "lastName": "King"])
            #expect(data["user"]?["email"] == "ada@acme.example")
            _ = try await engine.redeem(try #require(answer["code"]))
            let later = try Self.json(try await engine.signIn(to: .web, Self.popup).message)
            #expect(later["data"]?["user"] == nil && later["data"]?["error"] == nil)
        }
    }

    @Test func `P15: cancelling is an error in its data and nothing more`() async throws {
        try await withEngine { engine in
            let answer = try #require(try await engine.cancel(try await engine.begin(.web, Self.popup)))
            let message = try Self.json(answer.message)
            #expect(message["data"] == ["error": "user_cancelled_authorize", "state": "s\"</script>"])
        }
    }

    @Test(arguments: [
        ("https://acme.example/callback", "https://acme.example"), ("https://acme.example", "https://acme.example"),
        ("https://acme.example:8443/a?b=://c#d", "https://acme.example:8443"),
        ("https://acme.example?x=/", "https://acme.example"),
        ("http://127.0.0.1:9000/callback", "http://127.0.0.1:9000"),
    ]) func `P15: only the origin of the return URL may read it`(url: String, origin: String) throws {
        let request = AuthorizationRequest(
            clientID: .web, primaryAppID: .app, redirectURI: url, responseType: .code, responseMode: .webMessage,
            scope: AuthorizationRequest.Scope(name: false, email: false), state: nil, nonce: nil, codeChallenge: nil,
            testSignIn: nil, loginHint: nil)
        #expect(AuthorizationResponse(request, [("code", "c")]).origin == origin)
    }

    private static func json(_ text: String) throws -> JSONValue {
        try JSON.decode(JSONValue.self, from: Array(text.utf8))
    }
}
