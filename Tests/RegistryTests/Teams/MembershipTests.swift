import Platform
import Registry
import TestSupport
import Testing

@Suite struct `Members` {
    @Test func `have one role in a team, and its name comes with it`() async throws {
        try await withAda { environment, ada in
            let ben = try environment.addAccount("ben")
            let acme = try await environment.addTeam("Acme", owner: ada)

            try await environment.join(ben, as: .auditor, acme, by: ada)

            let membership = try await environment.members.find(ben, in: acme)
            #expect(membership?.role == .auditor)
            #expect(membership?.team.settings.name.rawValue == "Acme")
            #expect(try await environment.members.list(in: acme).map(\.account) == [ada, ben])
            #expect(try environment.allActions(in: acme).last == "member.added")
        }
    }

    @Test func `are added once, and only if they exist`() async throws {
        try await withAda { environment, ada in
            let acme = try await environment.addTeam("Acme", owner: ada)

            await #expect(throws: MembershipStore.Failure.alreadyMember) {
                try await environment.add(ada, as: .auditor, to: acme)
            }
            await #expect(throws: MembershipStore.Failure.unknownAccount) {
                try await environment.add(Subject(hexadecimal: "nobody"), as: .auditor, to: acme)
            }

            #expect(try await environment.members.find(ada, in: acme)?.role == .owner)
            #expect(try environment.allActions(in: acme) == ["team.created", "member.added"])
        }
    }

    @Test func `of the system team are operators, and no other team has any`() async throws {
        try await withAda { environment, ada in
            let acme = try await environment.addTeam("Acme", owner: ada)
            #expect(try await !environment.rights.find(of: ada).isOperator)

            try await environment.add(ada, as: .operator, to: .system)

            #expect(try await environment.rights.find(of: ada).isOperator)
            // No page of the system team is a team's page.
            #expect(try await environment.members.find(ada, in: .system) == nil)
            let ben = try environment.addAccount("ben")
            for (role, team) in [(Role.operator, acme), (.owner, .system)] {
                await #expect(throws: MembershipStore.Failure.roleNotOfTeam) {
                    try await environment.add(ben, as: role, to: team)
                }
            }
        }
    }

    @Test func `cannot take a role of the other kind in the database either`() async throws {
        try await withAda { environment, ada in
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

@Suite struct `Changing members` {
    private struct Cast: Sendable {
        let ada: Subject
        let ben: Subject
        let cleo: Subject
    }

    /// A team with Ada its owner, Cleo an admin, and Ben in the role given.
    private func withTeam(
        ben role: Role = .developer, _ body: @escaping @Sendable (TestEnvironment, TeamID, Cast) async throws -> Void
    ) async throws {
        try await withEnvironment { environment in
            let cast = Cast(
                ada: try environment.addAccount("ada"), ben: try environment.addAccount("ben"),
                cleo: try environment.addAccount("cleo"))
            let team = try await environment.addTeam("Acme", owner: cast.ada)
            let by = Actor.member(cast.ada)
            try await environment.add(cast.ben, as: role, to: team, by: by)
            try await environment.add(cast.cleo, as: .admin, to: team, by: by)
            try await body(environment, team, cast)
        }
    }

    private func expect(
        _ outcome: MemberChange.Outcome, of change: MemberChange, by account: Subject, in team: TeamID,
        _ environment: TestEnvironment, at location: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await apply(change, by: account, in: team, environment)
        #expect(found == outcome, sourceLocation: location)
    }

    private func apply(_ change: MemberChange, by account: Subject, in team: TeamID, _ environment: TestEnvironment)
        async throws -> MemberChange.Outcome
    { try await environment.members.apply(change, by: account, in: team, from: .test) }

    @Test func `an owner gives another role, and both are on record`() async throws {
        try await withTeam { environment, team, cast in
            let change = MemberChange.role(of: cast.ben, was: .developer, becomes: .owner)

            try await expect(.done, of: change, by: cast.ada, in: team, environment)

            #expect(try await environment.members.find(cast.ben, in: team)?.role == .owner)
            let event = try environment.admin(
                """
                SELECT before->>'role', after->>'role', target FROM audit_events
                WHERE action = 'member.role_changed'
                """)
            #expect(event == [["developer", "owner", cast.ben.rawValue]])
        }
    }

    @Test func `whoever saw an older role changes nothing`() async throws {
        try await withTeam { environment, team, cast in
            let change = MemberChange.role(of: cast.ben, was: .auditor, becomes: .admin)

            try await expect(.conflict(.developer), of: change, by: cast.ada, in: team, environment)

            #expect(try await environment.members.find(cast.ben, in: team)?.role == .developer)
        }
    }

    @Test func `an admin reaches members below owner and makes no owner`() async throws {
        try await withTeam { environment, team, cast in
            let refused: [MemberChange] = [
                .role(of: cast.ada, was: .owner, becomes: .developer),
                .role(of: cast.ben, was: .developer, becomes: .owner),
                .role(of: cast.cleo, was: .admin, becomes: .owner), .removal(of: cast.ada, reason: "x"),
                .transfer(to: cast.ben, reason: "x"),
            ]
            for change in refused { try await expect(.notAllowed, of: change, by: cast.cleo, in: team, environment) }
            let allowed = MemberChange.role(of: cast.ben, was: .developer, becomes: .admin)
            try await expect(.done, of: allowed, by: cast.cleo, in: team, environment)
        }
    }

    @Test(arguments: [Role.developer, .auditor]) func `others change nobody but may leave`(role: Role) async throws {
        try await withTeam(ben: role) { environment, team, cast in
            let refused: [MemberChange] = [
                .role(of: cast.cleo, was: .admin, becomes: .auditor), .removal(of: cast.cleo, reason: "x"),
                .role(of: cast.ben, was: role, becomes: .admin), .transfer(to: cast.cleo, reason: "x"),
            ]
            for change in refused { try await expect(.notAllowed, of: change, by: cast.ben, in: team, environment) }
            try await expect(.done, of: .departure, by: cast.ben, in: team, environment)
            #expect(try await environment.members.find(cast.ben, in: team) == nil)
            #expect(try environment.allActions(in: team).last == "member.left")
        }
    }

    @Test func `the last owner neither leaves, nor is removed, nor becomes less`() async throws {
        try await withTeam { environment, team, cast in
            let changes: [MemberChange] = [
                .departure, .removal(of: cast.ada, reason: "x"), .role(of: cast.ada, was: .owner, becomes: .admin),
            ]
            for change in changes { try await expect(.lastOwner, of: change, by: cast.ada, in: team, environment) }
            #expect(try await environment.members.find(cast.ada, in: team)?.role == .owner)
        }
    }

    @Test func `two owners who remove one another at once leave one`() async throws {
        try await withTeam(ben: .owner) { environment, team, cast in
            let outcomes = try await race(20) { index in
                let (by, of) = index.isMultiple(of: 2) ? (cast.ada, cast.ben) : (cast.ben, cast.ada)
                return try await apply(.removal(of: of, reason: "x"), by: by, in: team, environment)
            }

            #expect(outcomes.count { $0 == .done } == 1)
            let owners = try await environment.members.list(in: team).filter { $0.role == .owner }
            #expect(owners.count == 1)
        }
    }

    @Test func `an owner hands the team over and becomes an admin`() async throws {
        try await withTeam { environment, team, cast in
            let change = MemberChange.transfer(to: cast.ben, reason: "leaving")

            try await expect(.done, of: change, by: cast.ada, in: team, environment)

            #expect(try await environment.members.find(cast.ben, in: team)?.role == .owner)
            #expect(try await environment.members.find(cast.ada, in: team)?.role == .admin)
        }
    }

    @Test func `an owner of Rival reaches nobody and nothing of Acme`() async throws {
        try await withTeam { environment, team, cast in
            let dan = try environment.addAccount("dan")
            let rival = try await environment.addTeam("Rival", owner: dan)
            let token = try await environment.invite("eve@acme.example", by: cast.ada, to: team)
            let id = try #require(try await environment.find(token)).invitation.id

            let removal = MemberChange.removal(of: cast.ben, reason: "x")
            try await expect(.notAllowed, of: removal, by: dan, in: team, environment)
            try await expect(.notFound, of: removal, by: dan, in: rival, environment)
            #expect(try await environment.members.list(in: team).count == 3)
            #expect(try await environment.members.find(dan, in: team) == nil)
            #expect(try await environment.members.find(cast.ada, in: rival) == nil)
            #expect(try await environment.members.list(in: rival).map(\.account) == [dan])
            #expect(try await environment.invitations.list(in: rival).isEmpty)
            #expect(try await environment.invitations.find(id, in: rival) == nil)
            #expect(try await !environment.withdraw(id, by: dan, in: rival))
            #expect(try await environment.find(token) != nil)
        }
    }

    @Test func `an operator owns a team that nobody belongs to, and no other`() async throws {
        try await withTeam { environment, acme, cast in
            let ops = try environment.addAccount("ops")
            let other = try environment.addAccount("other")
            let orphan = try await environment.addTeam("Orchard")
            let gone = try await environment.addTeam("Gone")
            try environment.markDeleted(gone)
            #expect(try await environment.list.memberless(among: [acme, orphan, gone]) == [orphan])

            async let first = environment.members.adopt(orphan, by: ops, from: .test)
            async let second = environment.members.adopt(orphan, by: other, from: .test)
            #expect(try await [first, second].count { $0 } == 1)
            for team in [acme, orphan, gone, .system] {
                #expect(try await !environment.members.adopt(team, by: ops, from: .test), "\(team.rawValue)")
            }

            let owner = try #require(try await environment.members.list(in: orphan).first)
            #expect(owner.role == .owner && [ops, other].contains(owner.account))
            #expect(try await environment.list.memberless(among: [acme, orphan, gone]).isEmpty)
        }
    }
}
