import Core
import Crypto
import Platform
import Testing

@testable import TestTeams

/// The addresses that apps ask, as they look on the wire.
@Suite(.site) struct ProtocolEndpointTests {
    static let token = "/t/ACMETEAM01/auth/token"
    static let revoke = "/t/ACMETEAM01/auth/revoke"
    /// Every address that takes a form from an app.
    static let forms = [
        "token", "revoke", "introspect", "sign-out", "credential-state", "delete-account", "usermigrationinfo",
        "native",
    ].map { "/t/ACMETEAM01/auth/\($0)" }

    private func code() throws -> String { try #require(try site.browser().consent().value(of: "code")) }

    @Test func `P7: JSON answers carry Apple's header fields, refusals too, and always status 400`() throws {
        let good = try site.post(Self.token, try site.redemption(of: try code()))
        let bad = try site.post(Self.token, try site.redemption(of: "c0"))
        let unproved = try site.post(Self.token, [:])
        #expect(good.status == 200 && bad.status == 400 && unproved.status == 400)
        #expect(unproved.body == #"{"error":"invalid_client"}"#)
        #expect(
            bad.body == #"{"error":"invalid_grant","error_description":"The code has expired or has been revoked."}"#)
        for answer in [good, bad, unproved] {
            #expect(answer["Content-Type"] == "application/json;charset=UTF-8")
            #expect(answer["Cache-Control"] == "no-store" && answer["Pragma"] == "no-cache")
            #expect(answer["WWW-Authenticate"] == nil && answer["Set-Cookie"] == nil)
        }
    }

    @Test func `revocation answers 200 with an empty body, for dead tokens and garbage too`() throws {
        let tokens = try site.post(Self.token, try site.redemption(of: try code())).json
        let refreshToken = try #require(tokens["refresh_token"]?.string)
        for token in [refreshToken, refreshToken, "garbage"] {
            let form = ["client_id": "com.acme.web", "client_secret": try site.teams.secret(), "token": token]
            let answer = try site.post(Self.revoke, form)
            #expect(answer.status == 200 && answer.body.isEmpty)
            #expect(answer["Content-Type"] == "application/json;charset=UTF-8")
        }
        let empty = try site.post(Self.revoke, [:])
        #expect(empty.status == 400 && empty.json["error"] == "invalid_client")
    }

    @Test func `another method is refused with the one that is allowed, in JSON`() throws {
        for path in Self.forms {
            for method in ["GET", "PUT", "DELETE"] {
                let answer = try site.ask(method, path)
                #expect(answer.status == 405 && answer["Allow"] == "POST")
                #expect(answer["Content-Type"] == "application/json;charset=UTF-8", "\(path)")
            }
        }
        for path in ["/t/ACMETEAM01/auth/keys", "/t/ACMETEAM01/.well-known/openid-configuration"] {
            let answer = try site.ask("POST", path, [TestSite.form], body: "")
            #expect(answer.status == 405)
            #expect(answer["Allow"]?.contains("GET") == true)
        }
    }

    @Test func `a body that is no form is an invalid request`() throws {
        let form = try site.redemption(of: try code()).compactMapValues { $0 }
        let json = String(decoding: JSON.encode(form), as: UTF8.self)
        for path in Self.forms {
            for (type, body) in [
                ("application/json", json), ("text/plain", "client_id=com.acme.web"), ("multipart/form-data", "x"),
            ] {
                let answer = try site.ask("POST", path, ["Content-Type: \(type)"], body: body)
                #expect(answer.status == 400 && answer.json["error"] == "invalid_request", "\(type)")
            }
            let bare = try site.ask("POST", path, [], body: "client_id=com.acme.web")
            #expect(bare.status == 400 && bare.json["error"] == "invalid_request")
            for body in ["client_id=%zz", "client_id=%ff", "%", "state=%00"] {
                let answer = try site.ask("POST", path, [TestSite.form], body: body)
                #expect(answer.status == 400 && answer.json["error"] == "invalid_request", "\(body)")
            }
        }
        // None of it has spent the code.
        #expect(try site.post(Self.token, form).status == 200)
    }

    @Test func `V2: a repeated parameter is an invalid request on every endpoint, and the code stays good`() throws {
        let form = try site.redemption(of: try code()).compactMapValues { $0 }
        let coded = FormCoding.encode(form.map { (name: $0.key, value: $0.value) })
        for (name, value) in form {
            let body = coded + "&" + FormCoding.encode([(name: name, value: value)])
            for path in Self.forms {
                let answer = try site.ask("POST", path, [TestSite.form], body: body)
                #expect(answer.status == 400 && answer.json["error"] == "invalid_request", "\(name)")
            }
        }
        #expect(try site.post(Self.token, form).status == 200)
        for repeated in ["state=a", "client_id=com.acme.web", "redirect_uri=https://evil.example/"] {
            let path = Browser.authorize(["state": "a"]) + "&" + repeated
            #expect(try site.ask("GET", path).status == 400)
        }
    }

    @Test func `P1: a Basic header beside the form is ignored, and Basic alone leaves the code unspent`() throws {
        for credentials in ["com.acme.web:x", "com.acme.other.web:x", ":", ""] {
            let basic = "Authorization: Basic \(Base64.encode(Array(credentials.utf8)))"
            let form = try site.redemption(of: try code())
            var alone = form
            (alone["client_id"], alone["client_secret"]) = (.some(nil), .some(nil))
            let refused = try site.post(Self.token, alone, [basic])
            #expect(refused.status == 400 && refused.json["error"] == "invalid_client")
            alone["client_id"] = "com.acme.web"
            #expect(try site.post(Self.token, alone, [basic]).json["error"] == "invalid_client")
            #expect(try site.post(Self.token, form, [basic]).status == 200)
        }
        for header in ["Basic", "Basic %%%", "Bearer x", "\u{FF}", String(repeating: "a", count: 9000)] {
            let form = try site.redemption(of: try code())
            #expect(try site.post(Self.token, form, ["Authorization: \(header)"]).status == 200)
        }
    }

    @Test func `a team that does not exist is not found, nor is the system team`() throws {
        for team in ["NOSUCHTEAM", "PIPPIN0000", "acmeteam01", "ACMETEAM0", "ACMETEAM01%20", "%41CMETEAM01x"] {
            for path in ["keys", "authorize?client_id=com.acme.web"] {
                #expect(try site.ask("GET", "/t/\(team)/auth/\(path)").status == 404, "\(team)")
            }
            let answer = try site.ask("POST", "/t/\(team)/auth/token", [TestSite.form], body: "a=b")
            #expect(answer.status == 404, "\(team)")
        }
    }

    @Test func `P11: discovery names this team's addresses and issuer, and keys may be kept for five minutes`() throws {
        let base = "https://pippin.example/t/ACMETEAM01"
        let discovery = try site.ask("GET", "/t/ACMETEAM01/.well-known/openid-configuration")
        #expect(discovery.json["issuer"]?.string == base)
        for (name, path) in [
            ("authorization_endpoint", "authorize"), ("token_endpoint", "token"), ("revocation_endpoint", "revoke"),
            ("jwks_uri", "keys"), ("userinfo_endpoint", "userinfo"), ("introspection_endpoint", "introspect"),
        ] { #expect(discovery.json[name]?.string == "\(base)/auth/\(path)") }
        #expect(discovery.json["code_challenge_methods_supported"] == ["S256"])
        // A client that sees one of these acts on it, and there is nothing behind it.
        for name in ["end_session_endpoint", "authorization_response_iss_parameter_supported"] {
            #expect(discovery.json[name] == nil)
        }
        #expect(discovery.json["id_token_signing_alg_values_supported"] == ["RS256"])
        #expect(discovery.json["token_endpoint_auth_methods_supported"] == ["client_secret_post"])
        let keys = try site.ask("GET", "/t/ACMETEAM01/auth/keys")
        for answer in [discovery, keys] {
            #expect(answer.status == 200 && answer["Cache-Control"] == "public, max-age=300")
            #expect(answer["Content-Type"] == "application/json;charset=UTF-8" && answer["Pragma"] == nil)
        }
    }

    @Test func `V32: a scope of 15 kB is invalid on every endpoint that takes a form`() throws {
        let long = String(repeating: "a", count: 15_000)
        for path in Self.forms {
            let answer = try site.post(path, ["client_id": "com.acme.web", "scope": long])
            #expect(answer.status == 400 && answer.json["error"] == "invalid_request")
        }
        // A request to sign in is shorter as a whole.
        let form = ["client_id": "com.acme.web", "scope": String(long.prefix(10_000))]
        #expect(try site.post("/t/ACMETEAM01/auth/authorize", form).status == 400)
    }

    @Test func `deleting an account answers 202 with a receipt that anyone who knows its address may read`() throws {
        let tokens = try site.post(Self.token, try site.redemption(of: try code())).json
        let form = [
            "client_id": "com.acme.web", "client_secret": try site.teams.secret(),
            "sub": site.teams.people.ada.rawValue,
        ]
        let accepted = try site.post("/t/ACMETEAM01/auth/delete-account", form)
        #expect(accepted.status == 202)
        let id = try #require(accepted.json["receipt"]?.string)
        let receipt = try site.ask("GET", "/t/ACMETEAM01/auth/receipts/\(id)")
        #expect(receipt.status == 200 && receipt.json["status"] == "done")
        #expect(receipt.body.contains(#""fate":"revoked""#))
        #expect(receipt["Content-Type"] == "application/json;charset=UTF-8")
        let page = try site.ask("GET", "/t/ACMETEAM01/auth/receipts/\(id)", ["Accept: text/html,*/*;q=0.8"])
        #expect(page.status == 200 && page["Content-Type"] == "text/html; charset=utf-8")
        #expect(page.body.contains("Receipt of a deleted account") && page.body.contains("Ended"))
        #expect(page["Cache-Control"] == "no-store" && page["Vary"] == "Accept")
        #expect(!page.body.contains(site.teams.people.ada.rawValue))
        let gone = "/t/ACMETEAM01/auth/receipts/\(String(id.reversed()))"
        let browser = ["Accept: text/html,*/*;q=0.8"]
        #expect(try site.ask("GET", gone, browser)["Content-Type"] == "text/html; charset=utf-8")
        #expect(try site.ask("GET", gone)["Content-Type"] == "application/json;charset=UTF-8")
        for path in ["/t/RIVALTEAM1/auth/receipts/\(id)", "/t/ACMETEAM01/auth/receipts/\(id)a"] {
            #expect(try site.ask("GET", path).status == 404)
        }
        let access = "Authorization: Bearer \(tokens["access_token"]?.string ?? "")"
        #expect(try site.ask("GET", "/t/ACMETEAM01/auth/userinfo", [access]).status == 401)
    }
}
