import Platform
import SignIn
import TestNames
import Testing

@testable import Console

@Suite(.environment) struct `Email sources in the console` {
    private static let list = "/console/ACMETEAM01/email-sources"
    private static let page = "\(list)/acme.example"

    @Test func `are checked as they are added, and say which record to add`() async throws {
        environment.names.names = ["acme.example": .text("v=spf1 +all")]
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        #expect(try await admin.get(Self.list).text.contains("Add a sending domain"))

        let form = [("source", "Acme.example"), ("selectors", "s1\r\n")]
        let added = try await admin.post(Self.list, form)
        #expect(added.location == Self.page)
        let wrong = try await admin.get(Self.page).text
        #expect(wrong.contains("It lets anyone send as your domain"))
        #expect(wrong.contains("<code>v=spf1 ~all</code>"))
        #expect(wrong.contains("s1._domainkey.acme.example") && wrong.contains("Missing"))

        let key = "v=DKIM1; p=" + String(repeating: "QUJD", count: 60)
        environment.names.names = ["acme.example": .text("v=spf1 mx -all"), "s1._domainkey.acme.example": .text(key)]
        #expect(try await admin.post("\(Self.page)/checks").location == Self.page)
        let right = try await admin.get(Self.page).text
        #expect(right.contains("All records are correct") && !right.contains("Missing"))
        #expect(try await admin.get(Self.list).text.contains("1 email source of 100"))
    }

    @Test func `that are added when enough was looked at wait for the next round`() async throws {
        let used = RateLimit.Use(.probes, by: .team, RateLimit.probes.count)
        try await environment.parts.database.count([used], in: .acme, at: environment.now)
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        #expect(try await admin.post(Self.list, [("source", "acme.example")]).location == Self.page)
        let due = "SELECT checked_at IS NULL AND check_due_at <= now() FROM email_sources"
        #expect(try environment.admin(due) == [["t"]])
    }

    @Test func `are refused beside their field, with what was typed`() async throws {
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        _ = try await admin.post(Self.list, [("source", "acme.example")])

        let twice = try await admin.post(Self.list, [("source", "acme.example"), ("selectors", "s1")])
        #expect(twice.status == 422)
        #expect(twice.text.contains("acme.example is an email source of this team already"))
        let wrong = [("source", "https://acme.example/"), ("selectors", "s1._domainkey")]
        let refused = try await admin.post(Self.list, wrong)
        #expect(refused.status == 422 && refused.text.contains("value=\"https://acme.example/\""))
        #expect(refused.text.contains("Enter only the selector"))
    }

    @Test func `show both versions to who saves later`() async throws {
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        _ = try await admin.post(Self.list, [("source", "acme.example")])
        #expect(try await admin.post(Self.page, [("selectors", "s1"), ("version", "1")]).status == 303)

        let late = try await admin.post(Self.page, [("selectors", "s2"), ("version", "1")])

        #expect(late.status == 409)
        #expect(late.text.contains(">s1</td>") && late.text.contains(">s2</td>"))
        #expect(late.text.contains("name=\"version\" value=\"2\""))
        #expect(try await admin.post(Self.page, [("selectors", "s2"), ("version", "2")]).status == 303)
        #expect(try environment.identifiers("dkim_selectors::text", of: "email_sources") == ["{s2}"])
    }

    @Test func `go with a typed name and a reason`() async throws {
        var admin = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        _ = try await admin.post(Self.list, [("source", "acme.example")])
        let without = try await admin.post("\(Self.page)/deletion", [("version", "1")])
        #expect(without.status == 422)

        let form = [("confirmation", "acme.example"), ("reason", "Moved"), ("version", "1")]
        #expect(try await admin.post("\(Self.page)/deletion", form).location == Self.list)
        #expect(try await admin.get(Self.page).status == 404)
        #expect(try environment.allActions(in: .acme).last == "email_source.deleted")
        let after = try environment.admin("SELECT after->>'reason' FROM audit_events ORDER BY at DESC LIMIT 1")
        #expect(after == [["Moved"]])
    }
}
