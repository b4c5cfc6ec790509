import Platform
import Testing

@testable import Console

@Suite(.environment) struct `App IDs in the console` {
    private static let list = "/console/ACMETEAM01/app-ids"
    private static let page = "/console/ACMETEAM01/app-ids/com.acme.app"

    @Test func `a member registers one, changes it and deletes it`() async throws {
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        #expect(try await owner.get(Self.list).text.contains("Register your first app"))

        let created = try await owner.post(
            Self.list, [("identifier", " com.acme.app "), ("description", "Acme"), ("primary", ""), ("signIn", "yes")])
        #expect(created.location == Self.page)
        #expect(try await owner.follow(created).text.contains("Acme is registered"))
        #expect(try await owner.get(Self.list).text.contains("com.acme.app"))

        let saved = try await owner.post(Self.page, [("description", "Acme Shop"), ("primary", ""), ("version", "1")])
        #expect(saved.status == 303)
        let page = try await owner.get(Self.page).text
        #expect(page.contains("Acme Shop") && page.contains("Sign-in off"))

        let hasty = try await owner.post(
            "\(Self.page)/deletion", [("confirmation", "com.acme"), ("reason", ""), ("version", "2")])
        #expect(hasty.status == 422)
        #expect(hasty.text.contains("Type com.acme.app exactly") && hasty.text.contains("Say why"))

        let deleted = try await owner.post(
            "\(Self.page)/deletion", [("confirmation", "com.acme.app"), ("reason", "Sold"), ("version", "2")])
        #expect(deleted.location == Self.list)
        #expect(try await owner.get(Self.page).status == 404)
        #expect(try environment.allActions(in: .acme) == ["app_id.created", "app_id.updated", "app_id.deleted"])
    }

    @Test func `tokens of its native app can name Apple's issuer`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        var auditor = try await environment.signedIn("Ben", [TeamID.acme: .auditor])
        var rival = try await environment.signedIn("Cleo", [TeamID.rival: .owner])
        let form = [("description", "Acme"), ("primary", ""), ("signIn", "yes"), ("issuer", "apple"), ("version", "1")]

        #expect(try await rival.post(Self.page, form).status == 404)
        #expect(try await owner.post(Self.page, form).status == 303)

        #expect(try environment.identifiers("issuer", of: "app_ids") == ["apple"])
        let page = try await auditor.get(Self.page).text
        #expect(page.contains("<dt>Issuer</dt><dd>https://appleid.apple.com</dd>"))
        let wrong = try await owner.post(Self.page, form.dropLast(2) + [("issuer", "other"), ("version", "2")])
        #expect(wrong.status == 422 && wrong.text.contains("href=\"#field-issuer\""))
    }

    @Test func `what is wrong stands beside its field and what was typed stays`() async throws {
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])

        let answer = try await owner.post(
            Self.list, [("identifier", "acme app"), ("description", ""), ("primary", "")])

        #expect(answer.status == 422)
        #expect(answer.text.contains("id=\"field-identifier-error\""))
        #expect(answer.text.contains("value=\"acme app\""))
        #expect(answer.text.contains("href=\"#field-description\""))
        #expect(try environment.count("app_ids") == 0)
    }

    @Test func `who saves second sees both versions and chooses`() async throws {
        var ada = try await environment.acmeWeb("Ada", .owner)
        var ben = try await environment.signedIn("Ben", [TeamID.acme: .admin])
        let form = [("primary", ""), ("signIn", "yes")]
        _ = try await ada.post(Self.page, form + [("description", "From Ada"), ("version", "1")])

        let conflict = try await ben.post(Self.page, form + [("description", "From Ben"), ("version", "1")])

        #expect(conflict.status == 409)
        #expect(conflict.text.contains("From Ada") && conflict.text.contains("From Ben"))
        let version = try #require(conflict.text.between("name=\"version\" value=\"", "\""))
        let resolved = try await ben.post(Self.page, form + [("description", "From Ben"), ("version", version)])
        #expect(resolved.status == 303)
        #expect(try environment.identifiers("description", of: "app_ids") == ["From Ben"])
    }

    @Test func `a developer cannot delete an App ID that takes keys along`() async throws {
        var owner = try await environment.acmeWeb("Ada", .owner)
        var developer = try await environment.signedIn("Ben", [TeamID.acme: .developer])
        let deletion = [("confirmation", "com.acme.app"), ("reason", "No use"), ("version", "1")]
        _ = try await owner.post("/console/ACMETEAM01/keys", [("name", "Server"), ("appID", "com.acme.app")])

        #expect(!(try await developer.get(Self.page).text.contains("Delete this App ID")))
        #expect(try await developer.post("\(Self.page)/deletion", deletion).status == 403)
        #expect(try await owner.post("\(Self.page)/deletion", deletion).status == 303)
    }

    @Test func `an auditor sees details and no form`() async throws {
        var auditor = try await environment.acmeWeb("Cleo", .auditor)

        for page in [Self.page, "/console/ACMETEAM01/service-ids/com.acme.web"] {
            let text = try await auditor.get(page).text
            #expect(text.contains("<dt>Description</dt>"))
            #expect(!text.contains("name=\"description\"") && !text.contains("Delete this"))
        }
    }

    @Test func `a long list is paged there and back, and searched`() async throws {
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        for number in 100..<160 {
            let name = "com.acme.app\(number)"
            try environment.admin(
                "INSERT INTO client_identifiers (team_id, identifier, kind) VALUES ('ACMETEAM01', $1, 'app')", name)
            try environment.admin(
                "INSERT INTO app_ids (team_id, identifier, description) VALUES ('ACMETEAM01', $1, 'One')", name)
        }

        let first = try await owner.get(Self.list).text
        #expect(first.contains("60 App IDs") && first.contains("app124") && !first.contains("app125"))
        let next = try #require(first.between("class=\"button button-small\" href=\"", "\""))
        let second = try await owner.get(next).text
        #expect(second.contains("app125</") && !second.contains("app124</"))
        #expect(second.between("class=\"button button-small\" href=\"", "\"") == Self.list)

        let found = try await owner.get("\(Self.list)?q=COM.acme.app15").text
        #expect(found.contains("10 App IDs") && found.contains("value=\"COM.acme.app15\""))
        #expect(try await owner.get("\(Self.list)?q=zzz").text.contains("Nothing matches"))
        #expect(try await owner.get("\(Self.list)?q=%00&after=x").status == 400)
    }

    @Test func `V43: an App ID beyond the limit is refused beside its field, and what was typed stays`() async throws {
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        try environment.addApps(500, named: "com.acme.app")
        let form = [("identifier", "com.acme.more"), ("description", "More than enough")]
        let sentence = "A team may have at most 500 App IDs."

        let refused = try await owner.post(Self.list, form)

        #expect(refused.status == 422 && refused.text.contains(sentence))
        #expect(refused.text.contains("value=\"com.acme.more\""))
        #expect(refused.text.contains("value=\"More than enough\""))
        // As it is typed, too.
        let typed = try await owner.post("/console/ACMETEAM01/checks/app-ids", form)
        #expect(typed.text.contains(sentence))
        #expect(try environment.count("app_ids") == 500)
        // What is there may change.
        let page = "/console/ACMETEAM01/app-ids/com.acme.app7"
        let change = [("description", "Seven"), ("primary", ""), ("signIn", "yes"), ("version", "1")]
        #expect(try await owner.post(page, change).status == 303)
        // Rival is another team.
        var rival = try await environment.signedIn("Ben", [TeamID.rival: .owner])
        let other = [("identifier", "com.rival.app"), ("description", "Rival"), ("signIn", "yes")]
        #expect(try await rival.post("/console/RIVALTEAM1/app-ids", other).status == 303)
    }
}
