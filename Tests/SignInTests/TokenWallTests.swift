import Core
import Platform
import Testing

@testable import TestTeams

/// What an `Authorization` field is worth on the wire, good, spoilt or missing.
@Suite(.site) struct TokenWallTests {
    private static let userinfo = "/t/ACMETEAM01/auth/userinfo"

    private func tokens() throws -> JSONValue { try site.redeem(try site.browser().consent()).json }

    @Test func `userinfo answers GET and POST, and asks for a token where there is none`() throws {
        let access = try #require(try tokens()["access_token"]?.string)
        for (method, scheme) in [("GET", "Bearer"), ("POST", "bearer"), ("GET", "BEARER")] {
            let answer = try site.ask(method, Self.userinfo, ["Authorization: \(scheme) \(access)"])
            #expect(answer.status == 200 && answer.json["sub"]?.string == site.teams.people.ada.rawValue)
            #expect(answer["Content-Type"] == "application/json;charset=UTF-8")
            #expect(answer["Cache-Control"] == "no-store")
        }
        let none = try site.ask("GET", Self.userinfo)
        #expect(none.status == 401 && none["WWW-Authenticate"] == "Bearer" && none.body.isEmpty)
        let bad = try site.ask("GET", Self.userinfo, ["Authorization: Bearer x"])
        #expect(bad.status == 401 && bad["WWW-Authenticate"] == #"Bearer error="invalid_token""#)
    }

    @Test func `V33: a spoilt Authorization field is a missing token, never an error of ours`() throws {
        let access = try #require(try tokens()["access_token"]?.string)
        let fields = [
            "", "Bearer", "Bearer ", "Bearer  ", "Bearer \u{FF}", "Bearer a b", "Bearer a,b", "Basic \(access)",
            "\(access)", "Bearer \(access) x", "Bearer\(access)", "Bearer \u{1F34F}",
            "Bearer " + String(repeating: "a", count: 5000), "Bearer \"\(access)\"",
        ]
        for field in fields {
            let answer = try site.ask("GET", Self.userinfo, ["Authorization: \(field)"])
            #expect(answer.status == 401, "\(field.prefix(40))")
        }
        let twice = ["Authorization: Bearer \(access)", "Authorization: Bearer \(access)"]
        #expect(try site.ask("GET", Self.userinfo, twice).status == 401)
    }
}
