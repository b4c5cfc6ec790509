import Bytes
import Directory
import Domain
import HTTP
import Localization
import Testing

@testable import Console

/// Mail and calls that a member causes from the console.
@Suite struct `What a member has sent` {
    private static let invitations = MemberRoutes.invitations.link(TeamID.acme)

    @Test func `S10, V47: by inviting an address again and again stops at three mails`() async throws {
        try await withEnvironment { environment in
            var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
            let form = [("email", "victim@example.org"), ("role", "developer")]
            #expect(try await ada.post(Self.invitations, form).status == 303)
            let id = try #require(try environment.admin("SELECT invitation_id FROM invitations")[0][0])
            let resending = MemberRoutes.resending.link(TeamID.acme, try #require(InvitationID(rawValue: id)))
            var refused: [Browser.Answer] = []
            for _ in 0..<6 {
                let answer = try await ada.post(resending)
                if answer.status != 303 { refused.append(answer) }
            }
            #expect(refused.count == 4 && refused.allSatisfy { $0.status == 429 })
            #expect(refused[0].text.contains("Too many invitations to this address"))
            #expect(try await ada.post(Self.invitations, form).status == 429)
            #expect(try environment.jobStates(of: "mail.send").count == 3)
        }
    }

    @Test func `S10: says who invites and nothing that leads elsewhere`() async throws {
        try await withEnvironment { environment in
            try environment.setName("Win https://evil.example")
            var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
            _ = try await ada.post(Self.invitations, [("email", "ben@acme.example"), ("role", "developer")])
            #expect(try environment.lastMail().contains("\"team\":\"Pippin\""))
        }
    }

    @Test func `S14, V47: as test notifications stops at ten a minute, and the page says when it goes on`() async throws
    {
        try await withEnvironment { environment in
            _ = try await environment.addAcmeWeb()
            try environment.setNotificationURL("https://acme.example/notices")
            var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
            let list = NotificationRoutes.notifications.link(TeamID.acme)
            for _ in 0..<12 {
                let form = [("appID", "com.acme.app"), ("testType", "email-enabled")]
                #expect(try await owner.post(list, form).status == 303)
            }
            #expect(try environment.count("notices") == 10)
            #expect(try await owner.get(list).text.contains("Too many test events"))
            // Sending one again is limited with them.
            let id = try #require(try environment.admin("SELECT notice_id FROM notices LIMIT 1")[0][0])
            try environment.admin("UPDATE notices SET state = 'delivered', settled_at = now()")
            _ = try await owner.post("\(list)/\(id)/replays")
            #expect(try environment.admin("SELECT FROM notices WHERE state = 'pending'").isEmpty)
        }
    }
}

/// What is left to somebody who lost their right.
@Suite struct `A member who lost the right` {
    @Test func `V45: has invited nobody: the link to an account is over`() async throws {
        try await withEnvironment { environment in
            var ada = try await environment.signedIn("Ada", [TeamID.acme: .admin])
            let sent = try await ada.post(
                UserInvitationRoutes.list.link(TeamID.acme), [("email", "dora@example.org"), ("language", "en")])
            #expect(sent.status == 303)
            let link = try environment.mailedLink()
            var dora = Browser(environment: environment, subject: nil)
            #expect(try await dora.get(link).status == 200)
            try environment.admin("UPDATE memberships SET role = 'developer'")

            #expect(try await dora.get(link).status == 410)
            let form = [("given_name", "Dora"), ("new", "fifty-six-degrees-north")]
            #expect(try await dora.post(link, form).status == 410)
            #expect(try environment.admin("SELECT FROM users WHERE email = 'dora@example.org'").isEmpty)
        }
    }

    @Test func `V45: finds every open page and form of the team gone with the next click`() async throws {
        try await withEnvironment { environment in
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
}

@Suite struct `Invitations to make an account, many at once` {
    @Test func `S13, V46: leave a hundred open at most`() async throws {
        try await withEnvironment { environment in
            let ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
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
            let kept = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        let email = try #require(EmailAddress(rawValue: "eve\(number)@example.org"))
                        do {
                            try await invitations.invite(email, by: account, for: caller)
                            return true
                        } catch UserInvitations.Failure.tooMany { return false }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(kept == 3)
            #expect(try environment.count("mailed_links") == 100)
        }
    }
}
