import Core
import Crypto
import HTTP
import Platform
import Testing

@testable import Console

@Suite(.environment) struct `A form of the console` {
    private static let team = [("name", "Orchard"), ("team_id", "ORCHARD001"), ("mode", "sandbox")]

    @Test func `changes nothing without the browser’s own token`() async throws {
        var otto = try await environment.signedIn("Otto", [.system: .operator])
        let other = try await environment.signedIn("Other", [.system: .operator])

        for token in ["", "wrong", other.formToken] {
            let answer = try await otto.post("/console/teams", Self.team, csrf: token)
            #expect(answer.status == 403)
        }

        #expect(try environment.count("teams") == 3)
    }

    @Test func `changes nothing when another site sent it`() async throws {
        var otto = try await environment.signedIn("Otto", [.system: .operator])

        for origin in ["https://evil.example", "null", ""] {
            #expect(try await otto.post("/console/teams", Self.team, origin: origin).status == 403, "\(origin)")
        }

        #expect(try environment.count("teams") == 3)
    }

    @Test func `that makes no sense is refused in words`() async throws {
        var otto = try await environment.signedIn("Otto", [.system: .operator])
        for path in ["/console?after=nonsense", "/console?after=%ff", "/console/%00"] {
            let answer = try await otto.get(path)
            #expect((400..<500).contains(answer.status), "\(path)")
        }
    }

    @Test func `says what was done once`() async throws {
        var otto = try await environment.signedIn("Otto", [.system: .operator])

        let created = try await otto.post("/console/teams", Self.team)
        let first = try await otto.get(try #require(created.location))
        let second = try await otto.get(try #require(created.location))

        #expect(first.text.contains("Orchard is ready"))
        #expect(!second.text.contains("Orchard is ready"))
    }

    @Test func `V5, V75: keeps what it says for the next page sealed, and for its browser alone`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        var other = try await environment.signedIn("Ben", [TeamID.acme: .owner])
        let invited = try await ada.post(
            MemberRoutes.invitations.link(TeamID.acme), [("email", "dora@example.org"), ("role", "developer")])
        let cookie = try #require(ada.cookies["pippin-PIPPIN0000-flash"])
        other.cookies["pippin-PIPPIN0000-flash"] = cookie

        for part in [cookie] + cookie.split(separator: ".").map(String.init) {
            let text = String(decoding: Base64URL.decode(part) ?? Array(part.utf8), as: UTF8.self)
            #expect(!text.contains("dora") && !text.contains("example.org"))
        }
        #expect(try await !other.get(try #require(invited.location)).text.contains("class=\"flash"))
        #expect(try await ada.follow(invited).text.contains("dora@example.org"))
    }

    @Test func `takes no words from a cookie that is not ours`() async throws {
        var otto = try await environment.signedIn("Otto", [.system: .operator])
        otto.cookies["pippin-PIPPIN0000-flash"] = "good.Q2FsbCAwODAw.AAAAAAAAAAAAAAAAAAAAAAAA"

        let answer = try await otto.get("/console")

        #expect(answer.status == 200)
        #expect(!answer.text.contains("Call 0800"))
    }
}
