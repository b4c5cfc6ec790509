import Platform
import Testing

@Suite(.environment) struct `Ending tokens in the console` {
    private static let page = "/console/ACMETEAM01/not-before"

    private func cut(_ browser: inout Browser, _ client: String) async throws -> Browser.Answer {
        try await browser.post(
            Self.page, [("client", client), ("confirmation", "ACMETEAM01"), ("reason", "A backup was stolen")])
    }

    @Test func `a team or one client is cut off, and the page says since when`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        #expect(try await owner.get(Self.page).text.contains("No revocations yet"))
        for client in ["com.acme.web", ""] { #expect(try await cut(&owner, client).status == 303) }

        let rows = try environment.admin("SELECT client_id FROM not_befores ORDER BY client_id")
        #expect(rows == [["*"], ["com.acme.web"]])
        #expect(try await owner.get(Self.page).text.contains("Issued before"))
        #expect(try environment.allActions(in: .acme).last == "tokens.not_before_set")
    }

    @Test func `it asks for the Team ID and a reason, and knows only the team's clients`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        let refused = try await owner.post(Self.page, [("client", "com.acme.web")])
        #expect(refused.status == 422)
        #expect(refused.text.contains("<option value=\"com.acme.web\" selected>"))
        #expect(try await cut(&owner, "com.rival.web").status == 404)
        #expect(try environment.count("not_befores") == 0)
    }
}
