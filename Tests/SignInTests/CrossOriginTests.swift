import Core
import Platform
import Testing

/// What pages of other origins may read (Fetch standard), and where clients look for the discovery document.
@Suite(.site) struct `A page of another origin` {
    private static let origin = "Origin: https://app.example"
    private static let team = "/t/ACMETEAM01"

    @Test func `reads discovery and keys, never with cookies`() throws {
        for path in [
            "\(Self.team)/.well-known/openid-configuration", "\(Self.team)/auth/keys",
            "/.well-known/openid-configuration\(Self.team)", "/.well-known/oauth-authorization-server\(Self.team)",
        ] {
            let answer = try site.ask("GET", path, [Self.origin])
            #expect(answer.status == 200 && answer.values(of: "Access-Control-Allow-Origin") == ["*"], "\(path)")
            #expect(answer["Access-Control-Allow-Credentials"] == nil && answer["Set-Cookie"] == nil, "\(path)")
        }
    }

    @Test func `asks userinfo with an access token, after asking whether it may`() throws {
        let path = "\(Self.team)/auth/userinfo"
        let asked = ["Access-Control-Request-Method: GET", "Access-Control-Request-Headers: authorization"]
        let preflight = try site.ask("OPTIONS", path, [Self.origin] + asked)
        #expect(preflight.status == 204 && preflight.body.isEmpty)
        #expect(preflight["Access-Control-Allow-Origin"] == "*")
        #expect(preflight["Access-Control-Allow-Headers"] == "Authorization")
        #expect(preflight["Access-Control-Allow-Methods"] == "GET, POST")
        #expect(preflight["Access-Control-Allow-Credentials"] == nil)
        #expect(try site.ask("OPTIONS", "/t/NOSUCHTEAM/auth/userinfo", [Self.origin] + asked).status == 404)

        let code = try #require(try site.browser().consent().value(of: "code"))
        let token = try site.post("\(Self.team)/auth/token", try site.redemption(of: code)).json["access_token"]?.string
        for (bearer, status) in [(token ?? "", 200), ("wrong", 401)] {
            for method in ["GET", "POST"] {
                let fields = [Self.origin, "Authorization: Bearer \(bearer)"]
                let answer = try site.ask(method, path, fields, body: method == "POST" ? "" : nil)
                #expect(answer.status == status && answer.values(of: "Access-Control-Allow-Origin") == ["*"])
            }
        }
        #expect(
            try site.ask("GET", "/t/RIVALTEAM1/auth/userinfo", ["Authorization: Bearer \(token ?? "")"]).status == 401)
    }

    @Test func `reads nothing else`() throws {
        for path in ProtocolEndpointTests.forms + [
            "\(Self.team)/auth/native", "\(Self.team)/auth/authorize", "\(Self.team)/account",
        ] {
            let preflight = try site.ask("OPTIONS", path, [Self.origin, "Access-Control-Request-Method: POST"])
            let answer = try site.ask("POST", path, [TestSite.form, Self.origin], body: "a=b")
            #expect(preflight.status == 405, "\(path)")
            for answer in [preflight, answer] { #expect(answer["Access-Control-Allow-Origin"] == nil, "\(path)") }
        }
    }
}

/// Clients that put the team's path behind `/.well-known/…`, as RFC 8414 section 3.1 has it.
@Suite(.site) struct `The discovery document` {
    @Test(arguments: ["oauth-authorization-server", "openid-configuration"])
    func `lies at the root, too, for teams that there are`(name: String) throws {
        let own = try site.ask("GET", "/t/ACMETEAM01/.well-known/openid-configuration")
        let root = try site.ask("GET", "/.well-known/\(name)/t/ACMETEAM01")
        #expect(root.status == 200 && root.body == own.body)
        #expect(root["Content-Type"] == own["Content-Type"] && root["Cache-Control"] == own["Cache-Control"])
        #expect(
            try site.ask("GET", "/.well-known/\(name)/t/RIVALTEAM1").json["issuer"]?.string?.hasSuffix("RIVALTEAM1")
                == true)
        for team in ["NOSUCHTEAM", "PIPPIN0000", "acmeteam01"] {
            let refused = try site.ask("GET", "/.well-known/\(name)/t/\(team)")
            #expect(refused.status == 404 && refused["Content-Type"] == "application/json;charset=UTF-8", "\(team)")
        }
        for path in ["/.well-known/\(name)", "/.well-known/\(name)/t", "/.well-known/\(name)/ACMETEAM01"] {
            #expect(try site.ask("GET", path).status == 404, "\(path)")
        }
    }
}
