import Accounts
import Core
import Directory
import Platform
import Postgres
import Registry
import Testing

@Suite(.acme) struct `Members in a registry file` {
    private static func file(_ members: (String, String)...) -> String {
        let list = members.map { email, role in #"{"email": "\#(email)", "role": "\#(role)"}"# }
        return Files.team("\"members\": [\(list.joined(separator: ", "))]")
    }

    @discardableResult private func account(_ email: String) async throws -> Subject {
        let address = try #require(EmailAddress(rawValue: email))
        let name = try #require(PersonName(given: "Ada", family: ""))
        return try await pippin.database.change(in: .system, by: .command("test"), from: .local) { change in
            try await UserStore(pippin.database).create(
                NewUser(name: name, email: address, isEmailVerified: true, password: nil), change)
        }
    }

    private func roles() throws -> String? {
        try pippin.value(
            """
            SELECT string_agg(login || ' ' || role, ', ' ORDER BY login)
            FROM memberships JOIN login_names USING (sub) WHERE memberships.team_id = 'ACMETEAM01'
            """)
    }

    private func invited() throws -> String? {
        try pippin.value("SELECT string_agg(email || ' ' || role, ', ' ORDER BY email) FROM invitations")
    }

    @Test func `with an account become members, and others are invited`() async throws {
        try await account("ada@acme.example")
        let file = Self.file(("Ada@acme.example", "owner"), ("ben@acme.example", "developer"))

        let report = try await pippin.apply(file)

        #expect(
            report.teams.map(\.lines) == [
                ["+ member ada@acme.example as owner", "+ invitation ben@acme.example as developer"]
            ])
        #expect(try roles() == "ada@acme.example owner")
        #expect(try invited() == "ben@acme.example developer")
        #expect(pippin.sent.last?.team == "Acme")
        #expect(try await pippin.apply(file).outcome == .unchanged)
    }

    @Test func `who are invited join by their links, also where the team has no owner`() async throws {
        try await pippin.apply(Self.file(("ada@acme.example", "owner")))
        let token = try #require(pippin.sent.last).issued.token
        let ada = try await account("ada@acme.example")
        let acceptance = InvitationAcceptance(pippin.database, pippin.system)

        #expect(try await acceptance.find(token, at: .now())?.invitation.role == .owner)
        #expect(try await acceptance.accept(token, as: ada, from: .local, at: .now()) == .joined(.acme))

        #expect(try roles() == "ada@acme.example owner")
        #expect(try await pippin.apply(Self.file(("ada@acme.example", "owner"))).outcome == .unchanged)
    }

    @Test func `get other roles, and an invitation is sent again for another role`() async throws {
        for name in ["ada", "ben"] { try await account("\(name)@acme.example") }
        try await pippin.apply(
            Self.file(("ada@acme.example", "owner"), ("ben@acme.example", "admin"), ("cy@acme.example", "auditor")))
        let former = try #require(pippin.sent.last).issued.token

        let report = try await pippin.apply(
            Self.file(("cy@acme.example", "admin"), ("ben@acme.example", "owner"), ("ada@acme.example", "developer")))

        #expect(
            report.teams.map(\.lines) == [
                [
                    #"~ member ben@acme.example: role "admin" → "owner""#,
                    #"~ member ada@acme.example: role "owner" → "developer""#, "+ invitation cy@acme.example as admin",
                ]
            ])
        #expect(try roles() == "ada@acme.example developer, ben@acme.example owner")
        #expect(try invited() == "cy@acme.example admin")
        #expect(try await InvitationAcceptance(pippin.database, pippin.system).find(former, at: .now()) == nil)
    }

    @Test func `are removed with --prune alone, and so are invitations`() async throws {
        for name in ["ada", "ben"] { try await account("\(name)@acme.example") }
        try await pippin.apply(
            Self.file(("ada@acme.example", "owner"), ("ben@acme.example", "admin"), ("cy@acme.example", "auditor")))
        let less = Self.file(("ada@acme.example", "owner"))

        #expect(try await pippin.apply(less).outcome == .unchanged)
        let report = try await pippin.apply(less) { $0.prunes = true }

        #expect(report.teams.map(\.lines) == [["- member ben@acme.example", "- invitation cy@acme.example"]])
        #expect(try roles() == "ada@acme.example owner" && invited() == nil)
    }

    @Test func `leave no team without its last owner`() async throws {
        for name in ["ada", "ben"] { try await account("\(name)@acme.example") }
        try await pippin.apply(Self.file(("ada@acme.example", "owner"), ("ben@acme.example", "admin")))

        for file in [
            Self.file(("ada@acme.example", "admin")), Self.file(("ben@acme.example", "admin")),
            Self.file(("cy@acme.example", "owner")),
        ] {
            let report = try await pippin.apply(file) { $0.prunes = true }
            #expect(report.refusedFields == ["teams[0].members"])
        }
        #expect(try roles() == "ada@acme.example owner, ben@acme.example admin" && invited() == nil)
    }

    @Test func `are judged one by one`() async throws {
        let file = Self.file(
            ("ada", "owner"), ("ben@acme.example", "operator"), ("cy@acme.example", "admin"),
            ("CY@acme.example", "admin"))

        let report = try await pippin.apply(file)

        #expect(
            report.refusedFields == [
                "teams[0].members[0].email", "teams[0].members[1].role", "teams[0].members[3].email",
            ])
        #expect(
            Files.problems(Files.team(#""members": [{"role": "owner"}]"#)).map(\.path.description) == [
                "teams[0].members[0].email"
            ])
    }

    @Test func `no more than a team may have are told at the one too many`() async throws {
        let file = Files.team(
            #""members": ["#
                + (0...Quota.invitations.count).map { #"{"email": "u\#($0)@acme.example", "role": "auditor"}"# }.joined(
                    separator: ", ") + "]")

        let report = try await pippin.apply(file)

        #expect(report.refusedFields == ["teams[0].members[\(Quota.invitations.count)]"])
        #expect(try invited() == nil)
    }

    @Test func `are exported, invited ones as well, and the export changes nothing`() async throws {
        for name in ["ada", "ben"] { try await account("\(name)@acme.example") }
        try await pippin.apply(
            Self.file(("ada@acme.example", "owner"), ("ben@acme.example", "admin"), ("cy@acme.example", "auditor")))

        let text = try await pippin.export()

        #expect(try await pippin.apply(text) { $0.prunes = true }.outcome == .unchanged)
        let file = try RegistryFile(parsing: Array(text.utf8)) { _ in [] }
        #expect(file.teams[0].members?.count == 3)
        try await Installation.with { other in
            try await other.apply(text)
            #expect(try await other.export() == text)
            #expect(try other.count("invitations") == 3)
        }
    }

    @Test func `of another team stay as they are`() async throws {
        try await account("ada@acme.example")
        try await pippin.apply(Self.file(("ada@acme.example", "owner")))
        let other = #"{"teams": [{"id": "OTHERTEAM1", "members": [{"email": "ada@acme.example", "role": "auditor"}]}]}"#

        try await pippin.apply(other)
        try await pippin.apply(#"{"teams": [{"id": "OTHERTEAM1", "members": []}]}"#) { $0.prunes = true }

        #expect(try roles() == "ada@acme.example owner")
        #expect(try pippin.count("memberships") == 1)
    }
}
