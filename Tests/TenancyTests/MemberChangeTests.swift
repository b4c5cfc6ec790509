import Domain
import Tenancy
import Testing

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
            try await environment.members.add(cast.ben, as: role, to: team, by: by, from: TestEnvironment.origin)
            try await environment.members.add(cast.cleo, as: .admin, to: team, by: by, from: TestEnvironment.origin)
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
    { try await environment.members.apply(change, by: account, in: team, from: TestEnvironment.origin) }

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
            let outcomes = try await inParallel(20) { index in
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

    @Test func `an owner of Rival reaches nobody of Acme`() async throws {
        try await withTeam { environment, team, cast in
            let dan = try environment.addAccount("dan")
            let rival = try await environment.addTeam("Rival", owner: dan)

            let inAcme = MemberChange.removal(of: cast.ben, reason: "x")
            try await expect(.notAllowed, of: inAcme, by: dan, in: team, environment)
            try await expect(.notFound, of: inAcme, by: dan, in: rival, environment)
            #expect(try await environment.members.list(in: team).count == 3)
        }
    }

    @Test func `an operator owns a team that nobody belongs to, and no other`() async throws {
        try await withTeam { environment, acme, cast in
            let ops = try environment.addAccount("ops")
            let other = try environment.addAccount("other")
            let orphan = try await environment.addTeam("Orchard")
            let gone = try await environment.addTeam("Gone")
            try environment.admin("UPDATE teams SET deleted_at = now() WHERE team_id = $1", gone.rawValue)
            #expect(try await environment.list.memberless(among: [acme, orphan, gone]) == [orphan])

            async let first = environment.members.adopt(orphan, by: ops, from: TestEnvironment.origin)
            async let second = environment.members.adopt(orphan, by: other, from: TestEnvironment.origin)
            #expect(try await [first, second].count { $0 } == 1)
            for team in [acme, orphan, gone, .system] {
                #expect(
                    try await !environment.members.adopt(team, by: ops, from: TestEnvironment.origin),
                    "\(team.rawValue)")
            }

            let owner = try #require(try await environment.members.list(in: orphan).first)
            #expect(owner.role == .owner && [ops, other].contains(owner.account))
            #expect(try await environment.list.memberless(among: [acme, orphan, gone]).isEmpty)
        }
    }
}
