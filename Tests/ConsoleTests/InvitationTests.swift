import Crypto
import EventLoop
import HTTP
import Platform
import Testing

@testable import Console

@Suite(.environment) struct `Invitations in the console` {
    /// Has Ada invite Ben, and reads the link from the letter as it waits.
    private func invite(_ ada: inout Browser, as role: Role = .developer) async throws -> LinkToken {
        let sent = try await ada.post(
            MemberRoutes.invitations.link(TeamID.acme), [("email", "ben@acme.example"), ("role", role.rawValue)])
        #expect(sent.status == 303)
        return try #require(
            LinkToken(text: try environment.mailedLink().split(separator: "/").last.map(String.init) ?? ""))
    }

    @Test func `are listed, sent again under a new link, and withdrawn`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let first = try await invite(&ada)
        let id = try #require(try environment.admin("SELECT invitation_id FROM invitations")[0][0])
        let invitation = try #require(InvitationID(rawValue: id))
        var nobody = Browser()

        let list = try await ada.get(MemberRoutes.list.link(TeamID.acme))
        #expect(list.text.contains("ben@acme.example") && list.text.contains("Send again"))
        #expect(try await nobody.get(MemberRoutes.invitation.link(first.text)).status == 200)

        let resent = try await ada.post(MemberRoutes.resending.link(TeamID.acme, invitation))
        #expect(resent.status == 303)
        #expect(try await nobody.get(MemberRoutes.invitation.link(first.text)).status == 410)

        let withdrawn = try await ada.post(MemberRoutes.withdrawal.link(TeamID.acme, invitation))
        #expect(withdrawn.status == 303)
        #expect(try environment.count("invitations") == 0)
    }

    @Test func `let an account join, under a new session, and only once`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        var ben = try await environment.signedIn("Ben")
        let token = try await invite(&ada, as: .auditor)
        let address = MemberRoutes.invitation.link(token.text)
        let before = ben.cookies["pippin-PIPPIN0000"]

        let page = try await ben.get(address)
        #expect(page.text.contains("Join Acme") && page.text.contains("ben@acme.example"))
        let joined = try await ben.post(address)

        #expect(joined.location == ConsoleRoutes.overview.link(TeamID.acme))
        #expect(ben.cookies["pippin-PIPPIN0000"] != before)
        #expect(try await ben.get(ConsoleRoutes.overview.link(TeamID.acme)).status == 200)
        #expect(try await ben.get(MemberRoutes.member.link(TeamID.acme, #require(ada.subject))).status == 403)
        #expect(try await ben.post(address).status == 410)
    }

    @Test func `V68: judge and hash no password where the address has an account`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let address = MemberRoutes.invitation.link(try await invite(&ada).text)
        let form = [("given_name", "Ben"), ("family_name", ""), ("password", "plant-a-pip-today-7")]
        var nobody = Browser()
        _ = try await nobody.get(address)
        let ben = try await environment.add("Ben")
        try environment.admin(
            "INSERT INTO login_names (team_id, login, sub) VALUES ('PIPPIN0000', 'ben@acme.example', $1) ON CONFLICT DO NOTHING",
            ben.rawValue)
        let calls = environment.parts.pool.callCount

        let refused = try await nobody.post(address, form)

        #expect(refused.status == 422 && refused.text.contains("an account with this address already"))
        #expect(environment.parts.pool.callCount == calls)
    }

    @Test func `V40: opened in one browser and sent from another make nobody a member`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        var ben = try await environment.signedIn("Ben")
        var olive = try await environment.signedIn("Olive")
        var nobody = Browser()
        let address = MemberRoutes.invitation.link(try await invite(&ada).text)
        _ = try await ben.get(address)
        _ = try await nobody.get(address)

        let form = [("given_name", "Nobody"), ("password", "fifty-six-degrees-north")]
        #expect(try await olive.post(address, csrf: ben.formToken).status == 403)
        #expect(try await nobody.post(address, form, csrf: ben.formToken).status == 403)

        #expect(try environment.count("invitations") == 1)
        let members = try environment.admin("SELECT sub FROM memberships WHERE team_id = 'ACMETEAM01'")
        #expect(members == [[ada.subject?.rawValue]])
    }

    @Test func `let somebody new make an account, who is signed in by it`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let token = try await invite(&ada)
        let address = MemberRoutes.invitation.link(token.text)
        var ben = Browser()
        _ = try await ben.get(address)

        let short = try await ben.post(address, [("given_name", "Ben"), ("password", "short")])
        #expect(short.status == 422 && short.text.contains("value=\"Ben\""))
        let made = try await ben.post(address, [("given_name", "Ben"), ("password", "fifty-six-degrees-north")])

        #expect(made.location == ConsoleRoutes.overview.link(TeamID.acme))
        #expect(ben.cookies["pippin-PIPPIN0000"] != nil)
        #expect(try await ben.get(ConsoleRoutes.overview.link(TeamID.acme)).text.contains("Welcome to Acme"))
        let account = try environment.admin(
            """
            SELECT u.email, u.is_email_verified::text, m.role
            FROM users u JOIN memberships m ON m.sub = u.sub WHERE m.team_id = 'ACMETEAM01' AND u.given_name = 'Ben'
            """)
        #expect(account == [["ben@acme.example", "true", "developer"]])
    }

    @Test func `V43: to a full team say so and are kept, and no others are sent`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        // By another address than the one that was invited, which a stranger takes.
        var ben = try await environment.signedIn("Benjamin")
        var nobody = Browser()
        let address = MemberRoutes.invitation.link(try await invite(&ada).text)
        try environment.addMembers(499)
        _ = try await nobody.get(address)

        let refused = try await ben.post(address)
        let form = [("given_name", "Nobody"), ("password", "fifty-six-degrees-north")]
        let stranger = try await nobody.post(address, form)

        for answer in [refused, stranger] {
            #expect(answer.status == 409 && answer.text.contains("This team is full"))
            #expect(answer.text.contains("A team has at most 500 members"))
        }
        #expect(try environment.count("users WHERE given_name = 'Nobody'") == 0)
        let another = try await ada.post(
            MemberRoutes.invitations.link(TeamID.acme), [("email", "dora@acme.example"), ("role", "developer")])
        #expect(another.status == 422 && another.text.contains("value=\"dora@acme.example\""))
        #expect(another.text.contains("A team has at most 500 members. Remove a member first"))
        #expect(try environment.count("invitations") == 1)

        try environment.admin("DELETE FROM memberships WHERE sub LIKE '%1.0000' AND role = 'auditor'")
        #expect(try await ben.post(address).location == ConsoleRoutes.overview.link(TeamID.acme))
    }

    @Test func `of an address that signs in already lead to the sign-in`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        _ = try await environment.add("Ben")
        let token = try await invite(&ada)
        let address = MemberRoutes.invitation.link(token.text)
        var ben = Browser()
        _ = try await ben.get(address)

        let refused = try await ben.post(address, [("password", "fifty-six-degrees-north")])

        #expect(refused.status == 422 && refused.text.contains("sign in below"))
        #expect(try environment.count("invitations") == 1)
    }

    @Test func `are refused where the role or the address makes no sense, and what was typed stays`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let address = MemberRoutes.invitations.link(TeamID.acme)

        for form in [[("email", "ben@"), ("role", "auditor")], [("email", "ben@acme.example"), ("role", "operator")]] {
            let refused = try await ada.post(address, form)
            #expect(refused.status == 422)
            #expect(refused.text.contains("value=\"\(form[0].1)\""))
        }
        #expect(try environment.count("invitations") == 0)
        #expect(try environment.count("jobs") == 0)
    }
    @Test func `S10: say who invites and nothing that leads elsewhere`() async throws {
        try environment.setName("Win https://evil.example")
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        _ = try await ada.post(
            MemberRoutes.invitations.link(TeamID.acme), [("email", "ben@acme.example"), ("role", "developer")])
        #expect(try environment.lastMail().contains("\"team\":\"Pippin\""))
    }
}

/// What is left to somebody who lost their right.
@Suite(.environment) struct `A member who lost the right` {
    @Test func `V45: has invited nobody: the link to an account is over`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        let sent = try await ada.post(
            UserInvitationRoutes.list.link(TeamID.acme), [("email", "dora@example.org"), ("language", "en")])
        #expect(sent.status == 303)
        let link = try environment.mailedLink()
        var dora = Browser()
        #expect(try await dora.get(link).status == 200)
        try environment.admin("UPDATE memberships SET role = 'developer'")

        #expect(try await dora.get(link).status == 410)
        let form = [("given_name", "Dora"), ("new", "fifty-six-degrees-north")]
        #expect(try await dora.post(link, form).status == 410)
        #expect(try environment.admin("SELECT FROM users WHERE email = 'dora@example.org'").isEmpty)
    }

    @Test func `V45: finds every open page and form of the team gone with the next click`() async throws {
        var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        var admin = try await environment.signedIn("Ben", [TeamID.acme: .admin])
        let subject = try #require(admin.subject)
        #expect(try await admin.get(MemberRoutes.list.link(TeamID.acme)).status == 200)
        let removal = [("confirmation", "ben@acme.example"), ("reason", "left the company")]
        #expect(try await owner.post(MemberRoutes.removal.link(TeamID.acme, subject), removal).status == 303)

        let invite = [("email", "me@example.org"), ("role", "admin")]
        let people = [("email", "me@example.org"), ("language", "en")]
        #expect(try await admin.get(MemberRoutes.list.link(TeamID.acme)).status == 404)
        #expect(try await admin.post(MemberRoutes.invitations.link(TeamID.acme), invite).status == 404)
        #expect(try await admin.post(UserInvitationRoutes.list.link(TeamID.acme), people).status == 404)
        #expect(try await admin.post(NotificationRoutes.notifications.link(TeamID.acme)).status == 404)
        #expect(try environment.count("invitations") == 0 && environment.count("mailed_links") == 0)
    }
}
