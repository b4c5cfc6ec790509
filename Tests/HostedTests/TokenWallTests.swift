import Bytes
import Domain
import Testing

@testable import Hosted
@testable import TestTeams

/// What one team's tokens are worth at another, and what a spoilt `Authorization` field does, on the wire.
@Suite(.site) struct TokenWallTests {
    private static let userinfo = "/t/ACMETEAM01/auth/userinfo"

    private func tokens() throws -> JSONValue { try site.redeem(try site.browser().consent()).json }

    /// What Rival's client sends, with its own good secret.
    private func rival(_ form: [String: String]) throws -> [String: String?] {
        let secret = try site.teams.secret(of: .web, in: .rival)
        return ["client_id": "com.acme.web", "client_secret": secret].merging(form) { $1 }.mapValues { $0 }
    }

    @Test func `V25: a token of Acme at Rival is refused, inactive, without effect and invalid_grant`() throws {
        let tokens = try tokens()
        let access = try #require(tokens["access_token"]?.string)
        let refresh = try #require(tokens["refresh_token"]?.string)
        let base = "/t/RIVALTEAM1/auth"
        for token in [access, refresh] {
            let info = try site.ask("GET", base + "/userinfo", ["Authorization: Bearer \(token)"])
            #expect(info.status == 401)
            let inspected = try site.post(base + "/introspect", try rival(["token": token]))
            #expect(inspected.status == 200 && inspected.body == #"{"active":false}"#)
            let revoked = try site.post(base + "/revoke", try rival(["token": token]))
            #expect(revoked.status == 200 && revoked.body.isEmpty)
            let form = ["grant_type": "refresh_token", "refresh_token": token]
            let refused = try site.post(base + "/token", try rival(form))
            #expect(refused.status == 400 && refused.json["error"] == "invalid_grant")
        }
        #expect(try site.ask("GET", Self.userinfo, ["Authorization: Bearer \(access)"]).status == 200)
    }

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

    @Test func `V30: no variant of an access token opens userinfo or is active`() throws {
        let access = try #require(try tokens()["access_token"]?.string)
        let bytes = Array(access.utf8)
        for index in stride(from: 0, to: bytes.count, by: 3) {
            var changed = bytes
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            for variant in [changed, Array(bytes[..<index]), Array(bytes[index...].dropFirst())] {
                let token = String(decoding: variant, as: UTF8.self)
                let answer = try site.ask("GET", Self.userinfo, ["Authorization: Bearer \(token)"])
                #expect(answer.status == 401)
            }
        }
    }
}
