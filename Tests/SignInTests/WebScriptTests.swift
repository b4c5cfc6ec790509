import Core
import Platform
import Testing

@testable import SignIn
@testable import TestTeams

/// The script for web pages, as a page gets it.
@Suite(.site) struct WebScriptTests {
    private func values(_ path: String, accepting language: String? = nil) throws -> JSONValue {
        let answer = try site.ask("GET", path, language.map { ["Accept-Language: \($0)"] } ?? [])
        #expect(answer.status == 200 && answer["Content-Type"] == "text/javascript; charset=utf-8")
        // A page of any origin may load it, also one that asks for CORS or is isolated from other origins.
        #expect(answer["Access-Control-Allow-Origin"] == "*")
        #expect(answer["Cross-Origin-Resource-Policy"] == "cross-origin")
        let script = try #require(answer.body.split(separator: "{}", maxSplits: 1).last)
        #expect(script.hasPrefix(")(") && script.hasSuffix(");\n"))
        return try JSON.decode(JSONValue.self, from: Array(script.dropFirst(2).dropLast(3).utf8))
    }

    @Test func `calls the function of all teams with the values of its own`() throws {
        let values = try values("/t/ACMETEAM01/auth/js")
        #expect(values["base"]?.string == "\(site.teams.server.publicURL)/t/ACMETEAM01")
        #expect(values["signIn"] == "Sign in with Acme" && values["signUp"] == "Sign up with Acme")
        #expect(values["isApple"] == false)
    }

    @Test(arguments: [("de_DE", "Mit Acme anmelden"), ("xx_XX", "Masuk dengan Acme"), ("zh_CN", "通过 Acme 登录")])
    func `is at Apple's address too, in the language that it names or else the browser's`(locale: String, label: String)
        throws
    {
        let path = "/t/ACMETEAM01/appleauth/static/jsapi/appleid/1/\(locale)/appleid.auth.js"
        #expect(try values(path, accepting: "id")["signIn"]?.string == label)
    }

    @Test func `of an unknown team, or for what is no locale, is 404`() throws {
        for locale in ["1", "NaN", "en", "en_US_x", "12_34"] {
            let path = "/t/ACMETEAM01/appleauth/static/jsapi/appleid/1/\(locale)/appleid.auth.js"
            #expect(try site.ask("GET", path).status == 404, "\(locale)")
        }
        #expect(try site.ask("GET", "/t/NOBODY0001/auth/js").status == 404)
    }
}
