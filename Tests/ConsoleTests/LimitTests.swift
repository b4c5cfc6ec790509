import Crypto
import EventLoop
import HTTP
import Platform
import Registry
import SignIn
import Testing

@testable import Console

/// That the forms of the console count; how a limit counts is shown by `PlatformTests`.
@Suite struct `The rate limits of the console` {
    private static let appIDs = "/console/ACMETEAM01/app-ids"
    private static let members = MemberRoutes.invitations.link(TeamID.acme)
    private static let people = UserInvitationRoutes.list.link(TeamID.acme)

    @Test(.environment(limits: ["changes": 2]))
    func `V43: forms of one account are counted, and another account goes on`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        var ben = try await environment.signedIn("Ben", [TeamID.acme: .owner])

        for status in [422, 422, 429, 429] { #expect(try await ada.post(Self.appIDs).status == status) }
        #expect(try await ben.post(Self.appIDs).status == 422)
        // What belongs to no team counts for the account.
        var otto = try await environment.signedIn("Otto", [.system: .operator])
        for status in [422, 422, 429] { #expect(try await otto.post("/console/teams").status == status) }
    }

    @Test(.environment(limits: ["changes-of-team": 2]))
    func `V43: forms of one team are counted, whoever sends them, and another team goes on`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        var ben = try await environment.signedIn("Ben", [TeamID.acme: .admin])
        var rita = try await environment.signedIn("Rita", [TeamID.rival: .owner])

        #expect(try await ben.post(Self.appIDs).status == 422)
        #expect(try await ben.post(Self.appIDs).status == 422)
        #expect(try await ada.post(Self.appIDs).status == 429)
        #expect(try await rita.post("/console/RIVALTEAM1/app-ids").status == 422)
        // Who used them up does not keep their right by it.
        let removal = [("confirmation", "ben@acme.example"), ("reason", "floods us")]
        let address = MemberRoutes.removal.link(TeamID.acme, try #require(ben.subject))
        #expect(try await ada.post(address, removal).status == 303)
    }

    @Test(.environment)
    func `V43: forms count for the account alone where they only read out, or take away what is there once`()
        async throws
    {
        let verbs: Set<Substring> = [
            "deletion", "departure", "end", "export", "refusal", "removal", "revocation", "suspension", "verification",
            "withdrawal",
        ]
        for route in environment.mounted where !route.countsForTeam {
            #expect(route.pattern.split(separator: "/").last.map(verbs.contains) == true, "\(route.pattern)")
        }
    }

    @Test(.environment) func `V43, V47, S14: what calls other servers is limited for a team, and another team goes on`()
        async throws
    {
        try environment.openAppleSide()
        _ = try await environment.addAcmeWeb()
        try environment.setNotificationURL("https://acme.example/notices")
        try environment.admin("INSERT INTO domains (team_id, domain) VALUES ('ACMETEAM01', 'app.localhost')")
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        try await ada.connectAcme()
        let (console, notice) = ("/console/ACMETEAM01", [("appID", "com.acme.app"), ("testType", "email-enabled")])
        for (path, form) in [("email-sources", [("source", "acme.example")]), ("notifications", notice)] {
            #expect(try await ada.post("\(console)/\(path)", form).status == 303, "\(path)")
        }
        try environment.admin("UPDATE notifications SET state = 'delivered', settled_at = now()")
        let replayed = try #require(try environment.admin("SELECT notification_id FROM notifications")[0][0])

        // A check-up tests the connection as well.
        try await environment.expect(
            .probes, by: &ada,
            of: [
                ("domains/app.localhost/checks", [], 1), ("email-sources/acme.example/checks", [], 1),
                ("apple/com.acme.app/tests", [], 1), ("checkup", [], 2), ("notifications", notice, 1),
                ("notifications/\(replayed)/replays", [], 1),
            ])
        var rita = try await environment.signedIn("Rita", [TeamID.rival: .owner])
        #expect(try await rita.post(CheckupPages.checkup.link(TeamID.rival)).status == 200)
    }

    @Test(.environment) func `V43, V55, S6: heavy work is limited for a team, and another team goes on`() async throws {
        try await environment.addSigningKey()
        let ada = try await environment.addAda()
        var owner = try await environment.signedIn("Olga", [TeamID.acme: .owner])
        try await environment.expect(
            .heavyWork, by: &owner,
            of: [
                ("audit/export", [("format", "csv")], 1), ("audit/verification", [], 1),
                ("users/\(ada.rawValue)/export", [], 1), ("signing-keys/rotations", [], 1),
                ("signing-keys/replacement", [("confirmation", "acmeteam01"), ("reason", "Leaked")], 1),
                ("settings/logo", [], 1),
            ])
        var rita = try await environment.signedIn("Rita", [TeamID.rival: .owner])
        #expect(try await rita.post("/console/RIVALTEAM1/audit/verification").status == 303)
    }

    @Test(.environment) func `S10, V47: mail to one address stops at five an hour, whoever invites it to whatever`()
        async throws
    {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        var ben = try await environment.signedIn("Ben", [TeamID.acme: .admin])
        let victim = ("email", "victim@example.org")
        let forms = [(Self.members, [victim, ("role", "developer")]), (Self.people, [victim, ("language", "en")])]
        for (path, form) in forms { #expect(try await ada.post(path, form).status == 303) }
        let ids = try environment.admin(
            """
            SELECT i.invitation_id, l.invitation_id
            FROM invitations AS i JOIN mailed_links AS l USING (team_id) WHERE l.purpose = 'invitation'
            """)[0]
        let (member, person) = (try #require(ids[0]), try #require(ids[1]))
        let resending = [
            MemberRoutes.resending.link(TeamID.acme, try #require(InvitationID(rawValue: member))),
            UserInvitationRoutes.resending.link(TeamID.acme, try #require(InvitationID(rawValue: person))),
        ]
        for path in resending { #expect(try await ben.post(path).status == 303) }
        #expect(try await ben.post(Self.people, forms[1].1).status == 303)

        for (path, form) in forms + resending.map({ ($0, []) }) {
            let refused = try await ben.post(path, form)
            #expect(refused.status == 429 && refused["retry-after"] == "3600", "\(path)")
        }
        #expect(try environment.jobStates(of: "mail.send").count == 5)
        let other = [("email", "dora@example.org"), ("language", "en")]
        #expect(try await ben.post(Self.people, other).status == 303)
    }

    @Test(.environment) func `V47, V74: what one account sends to an address leaves other teams what they may send`()
        async throws
    {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner, .rival: .owner])
        var cleo = try await environment.signedIn("Cleo", [TeamID.rival: .owner])
        let form = [("email", "victim@example.org"), ("role", "developer")]
        let rival = Self.members.replacing("ACMETEAM01", with: "RIVALTEAM1")

        for path in [Self.members, Self.members, Self.members, rival, rival] {
            #expect(try await ada.post(path, form).status == 303)
        }
        for path in [Self.members, rival] { #expect(try await ada.post(path, form).status == 429, "\(path)") }
        for _ in 0..<3 { #expect(try await cleo.post(rival, form).status == 303) }
    }

    @Test(.environment(limits: ["mail-by-sender": 2]))
    func `S10, V47: mail that one member sends is limited, and another member goes on`() async throws {
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        var ben = try await environment.signedIn("Ben", [TeamID.acme: .admin])
        for (number, status) in [303, 303, 429, 429].enumerated() {
            let email = ("email", "p\(number)@example.org")
            let (path, field) =
                number % 2 == 0 ? (Self.members, ("role", "auditor")) : (Self.people, ("language", "en"))
            #expect(try await ada.post(path, [email, field]).status == status, "\(number)")
        }
        let form = [("email", "dora@example.org"), ("language", "en")]
        #expect(try await ben.post(Self.people, form).status == 303)
    }

    @Test(.environment(limits: ["unauthenticated-writes": 2]))
    func `V42, V43: passwords of new accounts are judged off the loop, and so many for one network`() async throws {
        let (database, pool) = (environment.parts.database, environment.parts.pool)
        let token = try #require(try await SetupLinkStore(environment.parts.system).issue(at: environment.now))
        var ada = try await environment.signedIn("Ada", [TeamID.acme: .owner])
        var links = [ConsoleRoutes.setup.link(token.text)]
        for (path, field) in [(Self.members, ("role", "developer")), (Self.people, ("language", "en"))] {
            #expect(try await ada.post(path, [("email", "dora@example.org"), field]).status == 303)
            links.append(try environment.mailedLink())
        }
        let form = [
            ("given_name", "Dora"), ("family_name", "Maar"), ("email", "dora@example.org"), ("team_name", "Dora"),
            ("team_id", ""), ("mode", "sandbox"), ("password", "password1234"), ("new", "password1234"),
        ]
        for link in links {
            let use = RateLimit.Use.all(of: .unauthenticatedWrites, by: .network("127.0.0.1"))
            for team in [TeamID.system, .acme] { try await database.release([use], in: team, at: environment.now) }
            var dora = Browser()
            _ = try await dora.get(link)
            let calls = pool.callCount
            for status in [422, 422, 429] { #expect(try await dora.post(link, form).status == status, "\(link)") }
            #expect(pool.callCount == calls + 2)
            #expect(try await dora.get(link).status == 200)
        }
    }
}

extension TestEnvironment {
    /// Expects forms of Acme's console to be refused with a limit of the team used up, and to use of it what they should.
    fileprivate func expect(
        _ limit: RateLimit, by member: inout Browser, of forms: [(path: String, form: [(String, String)], uses: Int)]
    ) async throws {
        let (database, used) = (parts.database, RateLimit.Use(limit, by: .team, limit.count))
        for (path, form, uses) in forms {
            try await database.release([.all(of: limit, by: .team)], in: .acme, at: now)
            try await database.count([used], in: .acme, at: now)
            let (actions, calls) = (try allActions(in: .acme), parts.pool.callCount)
            let refused = try await member.submit(path, form)
            #expect(refused.status == 429 && refused.text.contains("Try again in"), "\(path)")
            #expect(refused["retry-after"] == "\(limit.window.components.seconds)", "\(path)")
            #expect(try allActions(in: .acme) == actions && parts.pool.callCount == calls, "\(path)")

            try await database.release([.all(of: limit, by: .team)], in: .acme, at: now)
            let answer = try await member.submit(path, form)
            #expect([200, 303].contains(answer.status), "\(path): \(answer.status)")
            #expect(try counted("\(limit.name).team") == [uses], "\(path)")
        }
        _ = try await database.isWithin([used], in: .acme, at: now)
    }
}

extension Browser {
    /// Sends a form of Acme's console; that of the logo with a picture.
    fileprivate mutating func submit(_ path: String, _ form: [(String, String)]) async throws -> Answer {
        guard path.hasSuffix("/logo") else { return try await post("/console/ACMETEAM01/\(path)", form) }
        let head = "--form\r\nContent-Disposition: form-data; name="
        let token = "\(head)\"csrf\"\r\n\r\n\(formToken)\r\n"
        let file = "\(head)\"logo\"; filename=\"logo.png\"\r\nContent-Type: image/png\r\n\r\n"
        let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        return try await send(
            "POST", "/console/ACMETEAM01/\(path)",
            fields: [("Content-Type", "multipart/form-data; boundary=form"), ("Origin", environment.publicURL)],
            body: Array(token.utf8) + Array(file.utf8) + picture + Array("\r\n--form--\r\n".utf8))
    }
}
