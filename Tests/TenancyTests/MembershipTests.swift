import Domain
import Tenancy
import Testing

@Suite struct `Members` {
    @Test func `have one role in a team, and its name comes with it`() async throws {
        try await withEnvironment { environment in
            let ada = try environment.addAccount("ada")
            let ben = try environment.addAccount("ben")
            let acme = try await environment.addTeam("Acme", owner: ada)

            try await environment.members.add(
                ben, as: .auditor, to: acme, by: .member(ada), from: TestEnvironment.origin)

            let membership = try await environment.members.find(ben, in: acme)
            #expect(membership?.role == .auditor)
            #expect(membership?.team.settings.name.rawValue == "Acme")
            #expect(try await environment.members.list(in: acme).map(\.account) == [ada, ben])
            #expect(try environment.allActions(in: acme).last == "member.added")
        }
    }

    @Test func `of Acme find no team Rival`() async throws {
        try await withEnvironment { environment in
            let ada = try environment.addAccount("ada")
            let cleo = try environment.addAccount("cleo")
            let acme = try await environment.addTeam("Acme", owner: ada)
            let rival = try await environment.addTeam("Rival", owner: cleo)

            #expect(try await environment.members.find(cleo, in: acme) == nil)
            #expect(try await environment.members.find(ada, in: rival) == nil)
            #expect(try await environment.members.list(in: rival).map(\.account) == [cleo])
        }
    }

    @Test func `are added once, and only if they exist`() async throws {
        try await withEnvironment { environment in
            let ada = try environment.addAccount("ada")
            let acme = try await environment.addTeam("Acme", owner: ada)

            await #expect(throws: MembershipStore.Failure.alreadyMember) {
                try await environment.members.add(
                    ada, as: .auditor, to: acme, by: .command("test"), from: TestEnvironment.origin)
            }
            await #expect(throws: MembershipStore.Failure.unknownAccount) {
                try await environment.members.add(
                    Subject(hexadecimal: "nobody"), as: .auditor, to: acme, by: .command("test"),
                    from: TestEnvironment.origin)
            }

            #expect(try await environment.members.find(ada, in: acme)?.role == .owner)
            #expect(try environment.allActions(in: acme) == ["team.created", "member.added"])
        }
    }

    @Test func `of the system team are operators, and no other team has any`() async throws {
        try await withEnvironment { environment in
            let ada = try environment.addAccount("ada")
            let acme = try await environment.addTeam("Acme", owner: ada)
            #expect(try await !environment.members.isOperator(ada))

            try await environment.members.add(
                ada, as: .operator, to: .system, by: .command("test"), from: TestEnvironment.origin)

            #expect(try await environment.members.isOperator(ada))
            // No page of the system team is a team's page.
            #expect(try await environment.members.find(ada, in: .system) == nil)
            let ben = try environment.addAccount("ben")
            for (role, team) in [(Role.operator, acme), (.owner, .system)] {
                await #expect(throws: MembershipStore.Failure.roleNotOfTeam) {
                    try await environment.members.add(
                        ben, as: role, to: team, by: .command("test"), from: TestEnvironment.origin)
                }
            }
        }
    }

    @Test func `cannot take a role of the other kind in the database either`() async throws {
        try await withEnvironment { environment in
            let ada = try environment.addAccount("ada")
            try await environment.addTeam("Acme", as: "ACMETEAM01")
            for (team, role) in [("ACMETEAM01", "operator"), ("PIPPIN0000", "owner")] {
                #expect(throws: (any Error).self) {
                    try environment.admin(
                        "INSERT INTO memberships (team_id, sub, role) VALUES ($1, $2, $3)", team, ada.rawValue, role)
                }
            }
        }
    }
}
