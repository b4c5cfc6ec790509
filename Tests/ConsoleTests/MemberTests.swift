import HTTP
import Platform
import Testing

@testable import Console

@Suite(.environment) struct `Members in the console` {
    @Test func `are listed with their names, and one’s own place is told`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        _ = try await environment.signedIn("Ben", [TeamID.acme: .developer])

        let page = try await ada.get(MemberRoutes.list.link(TeamID.acme))

        #expect(page.status == 200)
        #expect(page.text.contains("Ada") && page.text.contains("ben@acme.example"))
        #expect(page.text.contains("You</span>"))
        // The last owner has no way out.
        #expect(!page.text.contains("Leave this team"))
    }

    @Test func `get another role from an owner, and only over the role that was shown`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let ben = try await environment.signedIn("Ben", [TeamID.acme: .developer])
        let address = MemberRoutes.role.link(TeamID.acme, try #require(ben.subject))

        let stale = try await ada.post(address, [("was", "auditor"), ("role", "admin")])
        #expect(stale.status == 422 && stale.text.contains("The role was changed"))

        let saved = try await ada.post(address, [("was", "developer"), ("role", "admin")])
        #expect(saved.status == 303)
        #expect(try environment.allActions(in: .acme).last == "member.role_changed")

        let wrong = try await ada.post(address, [("was", "admin"), ("role", "operator")])
        #expect(wrong.status == 422 && wrong.text.contains("Choose one of the roles"))
    }

    @Test func `are removed by whoever types their address and gives a reason`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        var ben = try await environment.signedIn("Ben", [TeamID.acme: .developer])
        let address = MemberRoutes.removal.link(TeamID.acme, try #require(ben.subject))

        let refused = try await ada.post(address, [("confirmation", "ben"), ("reason", "gone")])
        #expect(refused.status == 422 && refused.text.contains("value=\"gone\""))

        let removed = try await ada.post(address, [("confirmation", "ben@acme.example"), ("reason", "gone")])
        #expect(removed.status == 303)
        #expect(try await ben.get(ConsoleRoutes.overview.link(TeamID.acme)).status == 404)
    }

    @Test func `leave by themselves, but the last owner does not`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        var ben = try await environment.signedIn("Ben", [TeamID.acme: .auditor])
        let address = MemberRoutes.departure.link(TeamID.acme)

        #expect(try await ben.post(address).location == "/console")
        #expect(try await ada.post(address).status == 303)

        #expect(try await ben.get(ConsoleRoutes.overview.link(TeamID.acme)).status == 404)
        let page = try await ada.get(MemberRoutes.list.link(TeamID.acme))
        #expect(page.text.contains("A team needs an owner"))
    }

    @Test func `V43: of a team that has more than it may are shown up to the limit, the owners among them`()
        async throws
    {
        try environment.addMembers(Quota.members.count + 10)
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let last = "SELECT max(sub) FROM memberships WHERE team_id = 'ACMETEAM01' AND role = 'auditor'"
        let hidden = try #require(environment.admin(last)[0][0].flatMap(Subject.init(rawValue:)))

        let page = try await ada.get(MemberRoutes.list.link(TeamID.acme))

        #expect(page.status == 200 && page.text.contains("You</span>"))
        #expect(page.text.split(separator: "class=\"row-main\"").count == Quota.members.count + 1)
        #expect(!page.text.contains(hidden.rawValue))
        // Who is not shown can be removed all the same.
        #expect(try await ada.get(MemberRoutes.member.link(TeamID.acme, hidden)).status == 200)
        let form = [("confirmation", hidden.rawValue), ("reason", "gone")]
        #expect(try await ada.post(MemberRoutes.removal.link(TeamID.acme, hidden), form).status == 303)
    }

    @Test func `below owner are all that an admin reaches`() async throws {
        let ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        var cleo = try await environment.signedIn("Cleo", [TeamID.acme: .admin])
        let owner = try #require(ada.subject)

        #expect(try await cleo.get(MemberRoutes.member.link(TeamID.acme, owner)).status == 403)
        let list = try await cleo.get(MemberRoutes.list.link(TeamID.acme))
        #expect(!list.text.contains("value=\"owner\""))
        let invited = try await cleo.post(
            MemberRoutes.invitations.link(TeamID.acme), [("email", "dan@acme.example"), ("role", "owner")])
        #expect(invited.status == 422)
        #expect(try environment.count("invitations") == 0)
    }
}
