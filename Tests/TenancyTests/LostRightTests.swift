import Bytes
import Crypto
import Domain
import Postgres
import Tenancy
import TestDatabase
import Testing

/// What was made by somebody who lost the right.
@Suite struct `An invitation by a member who lost the right` {
    private struct Cast: Sendable {
        let ada: Subject
        let ben: Subject
        let eve: Subject
        let team: TeamID
    }

    /// A team with its owner Ada, and Ben, who is an owner too and invites Eve.
    private func withTeam(_ body: @escaping @Sendable (TestEnvironment, Cast) async throws -> Void) async throws {
        try await withTeams(1) { environment, casts in try await body(environment, casts[0]) }
    }

    /// So many teams of the same people.
    private func withTeams(_ count: Int, _ body: @escaping @Sendable (TestEnvironment, [Cast]) async throws -> Void)
        async throws
    {
        try await withEnvironment { environment in
            let (ada, ben) = (try environment.addAccount("ada"), try environment.addAccount("ben"))
            let eve = try environment.addAccount("eve")
            var casts: [Cast] = []
            for number in 1...count {
                let team = try await environment.addTeam("Acme \(number)", owner: ada)
                try await environment.members.add(
                    ben, as: .owner, to: team, by: .member(ada), from: TestEnvironment.origin)
                casts.append(Cast(ada: ada, ben: ben, eve: eve, team: team))
            }
            try await body(environment, casts)
        }
    }

    private func invite(
        _ name: String, as role: Role, by account: Subject, _ team: TeamID, _ environment: TestEnvironment
    ) async throws -> LinkToken {
        var token: LinkToken?
        _ = try await environment.invitations.invite(
            try #require(EmailAddress(rawValue: "\(name)@acme.example")), as: role, by: account, in: team,
            from: TestEnvironment.origin, at: TestEnvironment.noon
        ) { issued, _ in token = issued.token }
        return try #require(token)
    }

    private static let losses: [(@Sendable (Subject, Subject) -> MemberChange, by: Bool, kept: [Role])] = [
        ({ ben, _ in .removal(of: ben, reason: "test") }, true, []), ({ _, _ in .departure }, false, []),
        ({ ben, _ in .role(of: ben, was: .owner, becomes: .auditor) }, true, []),
        ({ ben, _ in .role(of: ben, was: .owner, becomes: .developer) }, true, []),
        ({ ben, _ in .role(of: ben, was: .owner, becomes: .admin) }, true, [.admin, .developer]),
        ({ _, ada in .transfer(to: ada, reason: "test") }, false, [.admin, .developer]),
    ]

    @Test func `S11, V45: is void, as far as the right went`() async throws {
        try await withTeams(Self.losses.count) { environment, casts in
            for (loss, cast) in zip(Self.losses, casts) {
                var tokens: [Role: LinkToken] = [:]
                for role in [Role.owner, .admin, .developer] {
                    tokens[role] = try await invite("eve-\(role)", as: role, by: cast.ben, cast.team, environment)
                }
                let change = loss.0(cast.ben, cast.ada)
                let outcome = try await environment.members.apply(
                    change, by: loss.by ? cast.ada : cast.ben, in: cast.team, from: TestEnvironment.origin)
                #expect(outcome == .done)

                let left = try await environment.invitations.list(in: cast.team).map(\.role)
                #expect(Set(left) == Set(loss.kept))
                #expect(
                    try environment.allActions(in: cast.team).count { $0 == "invitation.withdrawn" } == 3
                        - loss.kept.count)
                for (role, token) in tokens {
                    let found = try await environment.door.find(token, at: TestEnvironment.noon)
                    #expect((found != nil) == loss.kept.contains(role), "\(role) after \(change)")
                }
            }
        }
    }

    @Test func `S11, V45: is asked about again when it is accepted`() async throws {
        try await withTeam { environment, cast in
            let token = try await invite("eve", as: .admin, by: cast.ben, cast.team, environment)
            // As an older release removes a member, or a statement by hand: nothing ends with it.
            try environment.admin("UPDATE memberships SET role = 'developer' WHERE sub = $1", cast.ben.rawValue)

            #expect(try await environment.door.find(token, at: TestEnvironment.noon) == nil)
            let outcome = try await environment.door.accept(
                token, as: cast.eve, from: TestEnvironment.origin, at: TestEnvironment.noon)
            #expect(outcome == .gone)
            let made = try await environment.door.accept(token, from: TestEnvironment.origin, at: TestEnvironment.noon)
            { _, _ in cast.eve }
            #expect(made == nil)
            #expect(try await environment.members.find(cast.eve, in: cast.team) == nil)
        }
    }

    @Test func `S11: is accepted or void where its sender is removed at the same time, and nothing is left`()
        async throws
    {
        try await withTeam { environment, cast in
            for round in 0..<10 {
                let token = try await invite("eve\(round)", as: .admin, by: cast.ben, cast.team, environment)
                let eve = try environment.addAccount("eve\(round)")
                async let removal = environment.members.apply(
                    .removal(of: cast.ben, reason: "test"), by: cast.ada, in: cast.team, from: TestEnvironment.origin)
                async let joining = environment.door.accept(
                    token, as: eve, from: TestEnvironment.origin, at: TestEnvironment.noon)
                let (removed, outcome) = try await (removal, joining)

                // Either was first; none of them waited for ever or left a link behind.
                #expect(removed == .done)
                #expect(outcome == .joined(cast.team) || outcome == .gone)
                let found = try await environment.members.find(eve, in: cast.team)
                #expect((found != nil) == (outcome == .joined(cast.team)))
                #expect(try await environment.invitations.list(in: cast.team).isEmpty)
                try await environment.members.add(
                    cast.ben, as: .owner, to: cast.team, by: .member(cast.ada), from: TestEnvironment.origin)
            }
        }
    }

    @Test func `S11, V54: lets nobody in whose sender is removed while the team is waited for`() async throws {
        try await withTeam { environment, cast in
            let token = try await invite("eve", as: .admin, by: cast.ben, cast.team, environment)
            let holder = try RowHolder(
                at: environment.conninfo, "SELECT FROM teams WHERE team_id = $1 FOR UPDATE", [cast.team.rawValue])
            async let outcome = environment.door.accept(
                token, as: cast.eve, from: TestEnvironment.origin, at: TestEnvironment.noon)
            try await holder.waitForWaiters()
            try holder.execute("DELETE FROM memberships WHERE sub = $1", [cast.ben.rawValue])
            try holder.commit()

            #expect(try await outcome == .gone)
            #expect(try await environment.members.find(cast.eve, in: cast.team) == nil)
        }
    }

    @Test func `V45: to make an account with the team is void too`() async throws {
        try await withTeam { environment, cast in
            let insertion = """
                INSERT INTO mailed_links (
                    team_id, token_hash, purpose, email, invitation_id, invited_by, expires_at
                ) VALUES ($1, '\\x01', 'invitation', 'p@example.org', 'INVITED001', $2, now() + interval '1 day')
                """
            for (role, kept) in [(Role.admin, 1), (.developer, 0)] {
                try environment.admin("DELETE FROM mailed_links")
                try environment.admin(insertion, cast.team.rawValue, cast.ben.rawValue)
                let was = try #require(try await environment.members.find(cast.ben, in: cast.team)).role
                _ = try await environment.members.apply(
                    .role(of: cast.ben, was: was, becomes: role), by: cast.ada, in: cast.team,
                    from: TestEnvironment.origin)
                #expect(try environment.admin("SELECT FROM mailed_links").count == kept)
            }
        }
    }

    @Test func `V45: ends with their offers of App IDs, and the audit log tells`() async throws {
        try await withTeam { environment, cast in
            let rival = try await environment.addTeam("Rival", owner: cast.eve)
            try environment.admin(
                """
                INSERT INTO app_transfers (
                    team_id, transfer_id, target_team, app_id, registration, offered_at, offered_by
                ) VALUES ($1, rpad('', 26, 'a'), $2, 'com.acme.shop', '{}', now(), $3)
                """, cast.team.rawValue, rival.rawValue, cast.ben.rawValue)
            let change = MemberChange.removal(of: cast.ben, reason: "test")
            _ = try await environment.members.apply(change, by: cast.ada, in: cast.team, from: TestEnvironment.origin)

            #expect(try environment.admin("SELECT state FROM app_transfers") == [["withdrawn"]])
            #expect(try environment.allActions(in: cast.team).contains("app_transfer.withdrawn"))
        }
    }

    @Test func `S13, V46: leaves room for exactly a hundred, however many are sent at once`() async throws {
        try await withTeam { environment, cast in
            try environment.admin(
                """
                INSERT INTO invitations
                SELECT $1, 'A' || lpad(i::text, 9, '0'), decode(lpad(to_hex(i), 8, '0'), 'hex'),
                    i || '@acme.example', 'auditor', $2, now(), now()
                FROM generate_series(1, 97) i
                """, cast.team.rawValue, cast.ada.rawValue)
            let results = try await inParallel(50) { number -> Bool in
                do {
                    _ = try await invite("p\(number)", as: .auditor, by: cast.ada, cast.team, environment)
                    return true
                } catch InvitationStore.Failure.tooMany { return false }
            }
            #expect(results.count { $0 } == 3)
            #expect(try await environment.invitations.list(in: cast.team).count == 100)
        }
    }
}
