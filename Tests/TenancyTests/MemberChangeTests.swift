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
        ben role: Role = .developer,
        _ body: @escaping @Sendable (World, TeamID, Cast) async throws -> Void
    ) async throws {
        try await withWorld { world in
            let cast = Cast(
                ada: try world.addAccount("ada"),
                ben: try world.addAccount("ben"),
                cleo: try world.addAccount("cleo")
            )
            let team = try await world.addTeam("Acme", owner: cast.ada)
            let by = Actor.member(cast.ada)
            try await world.members.add(cast.ben, as: role, to: team, by: by, from: World.origin)
            try await world.members.add(cast.cleo, as: .admin, to: team, by: by, from: World.origin)
            try await body(world, team, cast)
        }
    }

    private func expect(
        _ outcome: MemberChange.Outcome,
        of change: MemberChange,
        by account: Subject,
        in team: TeamID,
        _ world: World,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await apply(change, by: account, in: team, world)
        #expect(found == outcome, sourceLocation: location)
    }

    private func apply(
        _ change: MemberChange,
        by account: Subject,
        in team: TeamID,
        _ world: World
    ) async throws -> MemberChange.Outcome {
        try await world.members.apply(change, by: account, in: team, from: World.origin)
    }

    @Test func `an owner gives another role, and both are on record`() async throws {
        try await withTeam { world, team, cast in
            let change = MemberChange.role(of: cast.ben, was: .developer, becomes: .owner)

            try await expect(.done, of: change, by: cast.ada, in: team, world)

            #expect(try await world.members.find(cast.ben, in: team)?.role == .owner)
            let event = try world.admin(
                """
                SELECT before->>'role', after->>'role', target FROM audit_events
                WHERE action = 'member.role_changed'
                """
            )
            #expect(event == [["developer", "owner", cast.ben.rawValue]])
        }
    }

    @Test func `whoever saw an older role changes nothing`() async throws {
        try await withTeam { world, team, cast in
            let change = MemberChange.role(of: cast.ben, was: .auditor, becomes: .admin)

            try await expect(.conflict(.developer), of: change, by: cast.ada, in: team, world)

            #expect(try await world.members.find(cast.ben, in: team)?.role == .developer)
        }
    }

    @Test func `an admin reaches members below owner and makes no owner`() async throws {
        try await withTeam { world, team, cast in
            let refused: [MemberChange] = [
                .role(of: cast.ada, was: .owner, becomes: .developer),
                .role(of: cast.ben, was: .developer, becomes: .owner),
                .role(of: cast.cleo, was: .admin, becomes: .owner),
                .removal(of: cast.ada, reason: "x"), .transfer(to: cast.ben, reason: "x"),
            ]
            for change in refused {
                try await expect(.notAllowed, of: change, by: cast.cleo, in: team, world)
            }
            let allowed = MemberChange.role(of: cast.ben, was: .developer, becomes: .admin)
            try await expect(.done, of: allowed, by: cast.cleo, in: team, world)
        }
    }

    @Test(arguments: [Role.developer, .auditor])
    func `others change nobody but may leave`(role: Role) async throws {
        try await withTeam(ben: role) { world, team, cast in
            let refused: [MemberChange] = [
                .role(of: cast.cleo, was: .admin, becomes: .auditor), .removal(of: cast.cleo, reason: "x"),
                .role(of: cast.ben, was: role, becomes: .admin), .transfer(to: cast.cleo, reason: "x"),
            ]
            for change in refused {
                try await expect(.notAllowed, of: change, by: cast.ben, in: team, world)
            }
            try await expect(.done, of: .departure, by: cast.ben, in: team, world)
            #expect(try await world.members.find(cast.ben, in: team) == nil)
            #expect(try world.actions(in: team).last == "member.left")
        }
    }

    @Test func `the last owner neither leaves, nor is removed, nor becomes less`() async throws {
        try await withTeam { world, team, cast in
            let changes: [MemberChange] = [
                .departure, .removal(of: cast.ada, reason: "x"),
                .role(of: cast.ada, was: .owner, becomes: .admin),
            ]
            for change in changes {
                try await expect(.lastOwner, of: change, by: cast.ada, in: team, world)
            }
            #expect(try await world.members.find(cast.ada, in: team)?.role == .owner)
        }
    }

    @Test func `two owners who remove one another at once leave one`() async throws {
        try await withTeam(ben: .owner) { world, team, cast in
            let outcomes = try await inParallel(20) { index in
                let (by, of) = index.isMultiple(of: 2) ? (cast.ada, cast.ben) : (cast.ben, cast.ada)
                return try await apply(.removal(of: of, reason: "x"), by: by, in: team, world)
            }

            #expect(outcomes.count { $0 == .done } == 1)
            let owners = try await world.members.list(in: team).filter { $0.role == .owner }
            #expect(owners.count == 1)
        }
    }

    @Test func `an owner hands the team over and becomes an admin`() async throws {
        try await withTeam { world, team, cast in
            let change = MemberChange.transfer(to: cast.ben, reason: "leaving")

            try await expect(.done, of: change, by: cast.ada, in: team, world)

            #expect(try await world.members.find(cast.ben, in: team)?.role == .owner)
            #expect(try await world.members.find(cast.ada, in: team)?.role == .admin)
        }
    }

    @Test func `an owner of Rival reaches nobody of Acme`() async throws {
        try await withTeam { world, team, cast in
            let dan = try world.addAccount("dan")
            let rival = try await world.addTeam("Rival", owner: dan)

            let inAcme = MemberChange.removal(of: cast.ben, reason: "x")
            try await expect(.notAllowed, of: inAcme, by: dan, in: team, world)
            try await expect(.notFound, of: inAcme, by: dan, in: rival, world)
            #expect(try await world.members.list(in: team).count == 3)
        }
    }

    @Test func `an operator owns a team that nobody belongs to, and no other`() async throws {
        try await withTeam { world, acme, cast in
            let ops = try world.addAccount("ops")
            let other = try world.addAccount("other")
            let orphan = try await world.addTeam("Orchard")
            let gone = try await world.addTeam("Gone")
            try world.admin("UPDATE teams SET deleted_at = now() WHERE team_id = $1", gone.rawValue)
            #expect(try await world.list.memberless(among: [acme, orphan, gone]) == [orphan])

            async let first = world.members.adopt(orphan, by: ops, from: World.origin)
            async let second = world.members.adopt(orphan, by: other, from: World.origin)
            #expect(try await [first, second].count { $0 } == 1)
            for team in [acme, orphan, gone, .system] {
                #expect(try await !world.members.adopt(team, by: ops, from: World.origin), "\(team.rawValue)")
            }

            let owner = try #require(try await world.members.list(in: orphan).first)
            #expect(owner.role == .owner && [ops, other].contains(owner.account))
            #expect(try await world.list.memberless(among: [acme, orphan, gone]).isEmpty)
        }
    }
}
