import Domain
import HTTP
import Testing
import Web

@testable import Console

@Suite struct `Users` {
    @Test func `are found by address and name, page by page and back`() async throws {
        try await withWorld { world in
            var owner = try await world.signedIn("owner", [World.acme: .owner])
            for number in 100..<160 { _ = try await world.add("Ada\(number)", to: World.acme) }
            _ = try await world.add("Cleo", to: World.acme)

            let first = try await owner.get("/console/ACMETEAM01/users?q=ada1")
            let next = try #require(Self.link("next", in: first.text))
            let second = try await owner.get(next)
            let back = try await owner.get(try #require(Self.link("prev", in: second.text)))

            #expect(Self.rows(first) == 50)
            #expect(first.text.contains("60 users") && !first.text.contains("rel=\"prev\""))
            #expect(Self.rows(second) == 10)
            #expect(Self.link("next", in: second.text) == nil)
            #expect(back.text.contains(">Ada159</a>"))
            #expect(try await owner.get("/console/ACMETEAM01/users?q=CLEO@acme").text.contains(">Cleo</a>"))
            #expect(try await owner.get("/console/ACMETEAM01/users?q=%3Cb%3E").text.contains("“&lt;b&gt;”"))
            #expect(try await owner.get("/console/ACMETEAM01/users?after=1.x%20y").status == 400)
        }
    }

    @Test func `show what apps hold of them, and who may change it`() async throws {
        try await withWorld { world in
            let ada = try await world.addAda()
            var admin = try await world.signedIn("admin", [World.acme: .admin])
            var auditor = try await world.signedIn("auditor", [World.acme: .auditor])
            let path = ConsoleRoutes.user.link(World.acme, ada)

            let full = try await admin.get(path).text
            let read = try await auditor.get(path).text

            #expect(full.contains("Name and e-mail address") && full.contains("Refresh token"))
            #expect(full.contains("Sign out everywhere") && full.contains("Delete this user"))
            #expect(read.contains("Name and e-mail address"))
            #expect(!read.contains("Sign out everywhere") && !read.contains("Delete this user"))
        }
    }

    @Test func `are signed out everywhere, and lose a consent with its tokens`() async throws {
        try await withWorld { world in
            let ada = try await world.addAda()
            var admin = try await world.signedIn("admin", [World.acme: .admin])
            let path = ConsoleRoutes.user.link(World.acme, ada)

            let out = try await admin.post(UserRoutes.signOut.link(World.acme, ada))
            let end = try await admin.post("\(path)/consents/com.acme.app/end")

            #expect(out.location == path && end.location == path)
            #expect(try world.count("sessions WHERE team_id = 'ACMETEAM01'") == 0)
            #expect(try world.count("consents") == 0)
            #expect(try world.count("refresh_tokens WHERE revoked_at IS NULL") == 0)
            #expect(try world.actions().suffix(2) == ["sessions.ended", "consent.ended"])
        }
    }

    @Test func `are deleted only with the typed confirmation and a reason`() async throws {
        try await withWorld { world in
            let ada = try await world.addAda()
            var admin = try await world.signedIn("admin", [World.acme: .admin])
            let path = UserRoutes.deletion.link(World.acme, ada)

            let without = try await admin.post(path, [("confirmation", "ada"), ("reason", "")])
            #expect(without.status == 422)
            #expect(
                without.text.contains("Say why, for the audit log") && without.text.contains("value=\"ada\"")
            )
            #expect(try world.count("users WHERE team_id = 'ACMETEAM01'") == 1)

            let with = try await admin.post(
                path,
                [("confirmation", "ada@acme.example"), ("reason", "She asked")]
            )
            #expect(with.location == "/console/ACMETEAM01/users")
            #expect(try world.count("users WHERE team_id = 'ACMETEAM01'") == 0)
            let log = try await admin.get("/console/ACMETEAM01/audit").text
            #expect(log.contains("User deleted") && log.contains("She asked"))
        }
    }

    @Test func `of Rival do not exist for Acme`() async throws {
        try await withWorld { world in
            let ada = try await world.addAda(to: World.rival)
            var owner = try await world.signedIn("owner", [World.acme: .owner])

            #expect(try await owner.get(ConsoleRoutes.user.link(World.acme, ada)).status == 404)
            #expect(try await owner.post(UserRoutes.signOut.link(World.acme, ada)).status == 404)
            #expect(try await owner.post(UserRoutes.deletion.link(World.acme, ada)).status == 404)
            #expect(try world.count("sessions WHERE team_id = 'RIVALTEAM1'") == 1)
            #expect(!(try await owner.get("/console/ACMETEAM01/users").text.contains("Ada")))
        }
    }

    private static func rows(_ answer: Browser.Answer) -> Int {
        answer.text.components(of: "<code class=\"clip\">") - 1
    }

    /// The address of the link to the page before or after.
    private static func link(_ rel: String, in text: String) -> String? {
        for tag in text.split(separator: "<") where tag.contains("rel=\"\(rel)\"") {
            let parts = tag.split(separator: "\"")
            guard let index = parts.firstIndex(where: { $0.hasSuffix("href=") }) else { continue }
            return String(parts[index + 1]).replacing("&amp;", with: "&")
        }
        return nil
    }
}

extension String {
    /// How many pieces `separator` cuts the text into.
    fileprivate func components(of separator: String) -> Int {
        split(separator: separator, omittingEmptySubsequences: false).count
    }
}
