import Core
import Crypto
import Directory
import HTTP
import OAuth
import Platform
import SignIn
import TestSupport
import Testing

@testable import Console

@Suite(.environment) struct `Inviting people to make an account` {
    private static let list = UserInvitationRoutes.list.link(TeamID.acme)
    private static let password = "fifty-six-degrees-north"

    private func allow(_ policy: String) throws { try environment.setRegistration(policy) }

    /// Has a member invite Dora, and returns where the mailed link leads.
    private func invite(_ member: inout Browser, _ language: Language = .english) async throws -> String {
        let sent = try await member.post(Self.list, [("email", "dora@example.org"), ("language", language.rawValue)])
        #expect(sent.status == 303)
        return try environment.mailedLink()
    }

    private func invitation() throws -> InvitationID {
        let rows = try environment.admin("SELECT invitation_id FROM mailed_links WHERE purpose = 'invitation'")
        return try #require(rows.first?[0].flatMap(InvitationID.init(rawValue:)))
    }

    @Test func `lets them in where nobody else may register`() async throws {
        try allow("invitation")
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        let link = try await invite(&ada)
        var dora = Browser()

        let page = try await dora.get(link)
        #expect(page.status == 200 && page.text.contains("value=\"dora@example.org\""))
        let form = [("given_name", "Dora"), ("family_name", "Maar")]
        let short = try await dora.post(link, form + [("new", "short")])
        #expect(short.status == 422 && short.text.contains("value=\"Maar\""))
        let made = try await dora.post(link, form + [("new", Self.password)])

        #expect(made.status == 200 && made.text.contains("Your account is ready"))
        let user = try environment.admin(
            """
            SELECT u.team_id, u.given_name, u.is_email_verified::text, l.login
            FROM users u JOIN login_names l USING (team_id, sub) WHERE u.email = 'dora@example.org'
            """)
        #expect(user == [["ACMETEAM01", "Dora", "true", "dora@example.org"]])
        #expect(
            try environment.allActions(in: .acme) == [
                "user_invitation.sent", "user.created", "user_invitation.accepted",
            ])
        #expect(try await dora.get(link).status == 410)
        #expect(try await dora.post(link, form + [("new", Self.password)]).status == 410)
    }

    @Test func `is listed, sent again under a new link, and withdrawn`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let first = try await invite(&ada)
        let id = try invitation()
        var dora = Browser()
        #expect(try await ada.get(Self.list).text.contains("dora@example.org"))
        #expect(try await ada.get(ConsoleRoutes.users.link(TeamID.acme)).text.contains(Self.list))

        #expect(try await ada.post(UserInvitationRoutes.resending.link(TeamID.acme, id)).status == 303)
        let second = try environment.mailedLink()
        #expect(try await dora.get(first).status == 410)
        #expect(try await dora.get(second).status == 200)

        #expect(try await ada.post(UserInvitationRoutes.withdrawal.link(TeamID.acme, id)).status == 303)
        #expect(try await dora.get(second).status == 410)
        #expect(try await ada.get(Self.list).text.contains("No open invitations"))
        #expect(try await ada.post(UserInvitationRoutes.withdrawal.link(TeamID.acme, id)).status == 404)
    }

    @Test func `writes in the language that was chosen`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .admin])

        _ = try await invite(&ada, .german)

        #expect(try environment.lastMail().contains("\"de\""))
    }

    @Test func `refuses what makes no sense, and keeps what was typed`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        _ = try await environment.add("Cleo", to: .acme)

        let wrong = try await ada.post(Self.list, [("email", "dora@"), ("language", "ru")])
        let known = try await ada.post(Self.list, [("email", "CLEO@acme.example"), ("language", "en")])

        #expect(wrong.status == 422 && wrong.text.contains("value=\"dora@\""))
        #expect(wrong.text.contains("value=\"ru\" selected"))
        #expect(known.status == 422 && known.text.contains("A user with this address exists already"))
        #expect(try environment.count("mailed_links") == 0)
    }

    @Test func `S13, V46: leaves a hundred open at most, however many are sent at once`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let account = try #require(ada.subject)
        try environment.admin(
            """
            INSERT INTO mailed_links (
                team_id, token_hash, purpose, email, invitation_id, invited_by, expires_at
            )
            SELECT 'ACMETEAM01', convert_to(n::text, 'UTF8'), 'invitation', 'p' || n || '@example.org',
                'INVITED' || lpad(n::text, 3, '0'), $1, now() + interval '1 day'
            FROM generate_series(1, 97) AS n
            """, account.rawValue)
        let invitations = UserInvitations(environment.parts.database, mailer: AccountMailer { _, _, _, _, _ in })
        let caller = AccountCaller(
            team: .acme, language: .english, origin: TestEnvironment.origin, now: environment.now)
        let kept = try await race(50, refused: UserInvitations.Failure.tooMany) { number in
            let email = try #require(EmailAddress(rawValue: "eve\(number)@example.org"))
            try await invitations.invite(email, by: account, for: caller)
        }
        #expect(kept == 3)
        let refused = try await ada.post(Self.list, [("email", "eve@example.org")])
        #expect(refused.status == 422 && refused.text.contains("100 invitations are open"))
        #expect(try environment.count("mailed_links") == 100)
    }

    @Test func `is over where nobody may register any more`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        let link = try await invite(&ada)
        try allow("off")
        environment.parts.teams.forget(TeamID.acme)
        var dora = Browser()

        #expect(try await dora.get(link).status == 404)
        #expect(try await !ada.get(Self.list).text.contains("name=\"email\""))
        #expect(try await ada.post(Self.list, [("email", "eve@example.org")]).status == 403)
    }

    @Test func `of another team cannot be seen, followed or withdrawn`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        var ben = try await environment.signedIn("Ben", [TeamID.rival: .owner])
        let link = try await invite(&ada)
        let id = try invitation()
        var dora = Browser()

        #expect(try await dora.get(link.replacing("ACMETEAM01", with: "RIVALTEAM1")).status == 410)
        #expect(try await ben.get(Self.list).status == 404)
        let theirs = try await ben.get(UserInvitationRoutes.list.link(TeamID.rival))
        #expect(theirs.status == 200 && !theirs.text.contains("dora@example.org"))
        #expect(try await ben.post(UserInvitationRoutes.withdrawal.link(TeamID.rival, id)).status == 404)
        #expect(try await ben.post(UserInvitationRoutes.resending.link(TeamID.rival, id)).status == 404)
        #expect(try await dora.get(link).status == 200)
    }

    @Test func `says so when the address has become an account's meanwhile`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .admin])
        let link = try await invite(&ada)
        _ = try await environment.add("Dora", to: .acme)
        try environment.admin("UPDATE login_names SET login = 'dora@example.org' WHERE team_id = 'ACMETEAM01'")
        var dora = Browser()
        _ = try await dora.get(link)

        let answer = try await dora.post(link, [("given_name", "Dora"), ("new", Self.password)])

        #expect(answer.status == 200 && answer.text.contains("You have an account"))
        #expect(try environment.count("users", in: .acme) == 1)
    }
}

extension TestEnvironment {
    /// What was handed to the mail last, as JSON.
    func lastMail(of team: TeamID = .acme) throws -> String {
        let job = try admin(
            "SELECT job_id, payload->>'sealed' FROM jobs WHERE kind = 'mail.send' ORDER BY created_at DESC LIMIT 1")[0]
        let sealed = try #require(job[1].flatMap { Base64URL.decode($0) })
        let opened = parts.server.keyRing.sealer(purpose: "mail that waits").open(
            sealed, context: [team.rawValue, "jobs", try #require(job[0]), "payload"])
        return String(decoding: try #require(opened), as: UTF8.self).replacing("\\/", with: "/")
    }

    /// Where the link of that mail leads, on this server.
    func mailedLink() throws -> String {
        let link = try #require(try lastMail().split(separator: publicURL).last)
        return String(link.prefix { $0 != "\"" })
    }
}
