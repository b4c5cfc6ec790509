import Core
import Crypto
import Platform
import Postgres
import Registry
import TestDatabase
import TestSupport
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
                try await environment.join(ben, as: .owner, team, by: ada)
                casts.append(Cast(ada: ada, ben: ben, eve: eve, team: team))
            }
            try await body(environment, casts)
        }
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
                    tokens[role] = try await environment.invite(
                        "eve-\(role)@acme.example", as: role, by: cast.ben, to: cast.team)
                }
                let change = loss.0(cast.ben, cast.ada)
                let outcome = try await environment.members.apply(
                    change, by: loss.by ? cast.ada : cast.ben, in: cast.team, from: .test)
                #expect(outcome == .done)

                let left = try await environment.invitations.list(in: cast.team).map(\.role)
                #expect(Set(left) == Set(loss.kept))
                #expect(
                    try environment.allActions(in: cast.team).count { $0 == "invitation.withdrawn" } == 3
                        - loss.kept.count)
                for (role, token) in tokens {
                    let found = try await environment.find(token)
                    #expect((found != nil) == loss.kept.contains(role), "\(role) after \(change)")
                }
            }
        }
    }

    @Test func `S11, V45: is asked about again when it is accepted`() async throws {
        try await withTeam { environment, cast in
            let token = try await environment.invite("eve@acme.example", as: .admin, by: cast.ben, to: cast.team)
            // As an older release removes a member, or a statement by hand: nothing ends with it.
            try environment.admin("UPDATE memberships SET role = 'developer' WHERE sub = $1", cast.ben.rawValue)

            #expect(try await environment.find(token) == nil)
            let outcome = try await environment.accept(token, as: cast.eve)
            #expect(outcome == .gone)
            let made = try await environment.door.accept(token, from: .test, at: .noon) { _, _ in cast.eve }
            #expect(made == nil)
            #expect(try await environment.members.find(cast.eve, in: cast.team) == nil)
        }
    }

    @Test func `S11: is accepted or void where its sender is removed meanwhile, and nothing is left`() async throws {
        try await withTeam { environment, cast in
            for round in 0..<10 {
                let token = try await environment.invite(
                    "eve\(round)@acme.example", as: .admin, by: cast.ben, to: cast.team)
                let eve = try environment.addAccount("eve\(round)")
                async let removal = environment.members.apply(
                    .removal(of: cast.ben, reason: "test"), by: cast.ada, in: cast.team, from: .test)
                async let joining = environment.accept(token, as: eve)
                let (removed, outcome) = try await (removal, joining)

                // Either was first; none of them waited for ever or left a link behind.
                #expect(removed == .done)
                #expect(outcome == .joined(cast.team) || outcome == .gone)
                let found = try await environment.members.find(eve, in: cast.team)
                #expect((found != nil) == (outcome == .joined(cast.team)))
                #expect(try await environment.invitations.list(in: cast.team).isEmpty)
                try await environment.join(cast.ben, as: .owner, cast.team, by: cast.ada)
            }
        }
    }

    @Test func `S11, V54: lets nobody in whose sender is removed while the team is waited for`() async throws {
        try await withTeam { environment, cast in
            let token = try await environment.invite("eve@acme.example", as: .admin, by: cast.ben, to: cast.team)
            let holder = try RowHolder(
                at: environment.conninfo, "SELECT FROM teams WHERE team_id = $1 FOR UPDATE", [cast.team.rawValue])
            async let outcome = environment.accept(token, as: cast.eve)
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
                try environment.forgetMailedLinks()
                try environment.admin(insertion, cast.team.rawValue, cast.ben.rawValue)
                let was = try #require(try await environment.members.find(cast.ben, in: cast.team)).role
                _ = try await environment.members.apply(
                    .role(of: cast.ben, was: was, becomes: role), by: cast.ada, in: cast.team, from: .test)
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
            _ = try await environment.members.apply(change, by: cast.ada, in: cast.team, from: .test)

            #expect(try environment.transferStates() == ["withdrawn"])
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
            let sent = try await race(50, refused: InvitationStore.Failure.tooMany) { number in
                _ = try await environment.invite("p\(number)@acme.example", as: .auditor, by: cast.ada, to: cast.team)
            }
            #expect(sent == 3)
            // One that is there already may be sent again.
            _ = try await environment.invite("7@acme.example", by: cast.ada, to: cast.team)
            #expect(try await environment.invitations.list(in: cast.team).count == 100)
        }
    }
}

/// Whom those keep waiting who join a team that somebody holds.
@Suite struct `Invitations to a team that is held` {
    @Test func `V43: have done nothing in the system team while they wait`() async throws {
        try await withAda { environment, ada in
            let team = try await environment.addTeam("Acme", owner: ada)
            let token = try await environment.invite(by: ada, to: team)
            let subject = Subject(hexadecimal: "ben")
            let holder = try RowHolder(
                at: environment.conninfo, "SELECT FROM teams WHERE team_id = $1 FOR UPDATE", [team.rawValue])

            async let joining = environment.accept(token, making: subject)
            try await holder.waitForWaiters()
            let written = try environment.admin(
                """
                SELECT FROM pg_locks WHERE relation = 'users'::regclass AND mode = 'RowExclusiveLock'
                    AND pid IN (SELECT pid \(RowHolder.waiters))
                """)
            try holder.commit()
            let joined = try await joining

            #expect(written.isEmpty)
            #expect(joined?.account == subject && joined?.team == team)
            #expect(try await environment.members.find(subject, in: team)?.role == .developer)
        }
    }
}
