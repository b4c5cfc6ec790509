import Core
import HTTP
import Platform
import Registry
import Testing

@testable import Console

@Suite struct `Teams` {
    @Test func `are for test sign-ins on a developer’s own machine, unless somebody says otherwise`() {
        #expect(NewTeamForm(nameField: "name", host: "localhost").mode == .sandbox)
        #expect(NewTeamForm(nameField: "name", host: "pippin.localhost").mode == .sandbox)
        #expect(NewTeamForm(nameField: "name", host: "127.0.0.1").mode == .sandbox)
        #expect(NewTeamForm(nameField: "name", host: "id.acme.example").mode == .production)
    }

    @Test(.environment) func `V20: an operator founds one, owns it, and goes on under a new session token`()
        async throws
    {
        var otto = try await environment.signedIn("Otto", [.system: .operator])
        let before = otto.cookies["pippin-PIPPIN0000"]

        let answer = try await otto.post("/console/teams", [("name", "Orchard"), ("team_id", ""), ("mode", "sandbox")])

        let location = try #require(answer.location)
        #expect(answer.status == 303)
        #expect(otto.cookies["pippin-PIPPIN0000"] != before)
        let page = try await otto.get(location)
        #expect(page.status == 200)
        #expect(page.text.contains("0 of 5 done"))
        let team = try #require(TeamID(rawValue: String(location.suffix(10))))
        #expect(try environment.allActions(in: team) == ["team.created", "member.added"])
        #expect(try environment.count("signing_keys", in: team) == 1)
    }

    @Test(.environment) func `a refused form keeps what was typed and says why beside the field`() async throws {
        var otto = try await environment.signedIn("Otto", [.system: .operator])

        let taken = try await otto.post("/console/teams", [("name", "Or<chard"), ("team_id", "ACMETEAM01")])
        let wrong = try await otto.post("/console/teams", [("name", ""), ("team_id", "short")])

        #expect(taken.status == 422)
        #expect(taken.text.contains("This ID is taken"))
        #expect(taken.text.contains("Or&lt;chard"))
        #expect(wrong.status == 422)
        #expect(wrong.text.contains("Give the team a name"))
        #expect(wrong.text.contains("value=\"short\""))
        #expect(try environment.count("teams") == 3)
    }

    @Test(.environment) func `an operator sees every name, a member only their own`() async throws {
        var otto = try await environment.signedIn("Otto", [.system: .operator, TeamID.acme: .auditor])
        var ben = try await environment.signedIn("Ben", [TeamID.rival: .owner])

        let all = try await otto.get("/console").text
        let own = try await ben.get("/console").text

        #expect(all.contains("Rival") && all.contains("Not a member") && all.contains("Auditor"))
        #expect(!all.contains("/console/RIVALTEAM1"))
        #expect(own.contains("/console/RIVALTEAM1") && !own.contains("Acme") && !own.contains("PIPPIN0000<"))
    }
}
