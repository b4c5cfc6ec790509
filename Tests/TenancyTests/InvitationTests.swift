import Bytes
import Crypto
import Domain
import Postgres
import Tenancy
import Testing

@Suite struct `Invitations` {
    private struct Refused: Error {}

    private func withTeam(_ body: @escaping @Sendable (TestEnvironment, TeamID, _ ada: Subject) async throws -> Void)
        async throws
    {
        try await withEnvironment { environment in
            let ada = try environment.addAccount("ada")
            try await body(environment, try await environment.addTeam("Acme", owner: ada), ada)
        }
    }

    private func invite(
        _ email: String = "ben@acme.example", as role: Role = .developer, by account: Subject, to team: TeamID,
        in environment: TestEnvironment
    ) async throws -> LinkToken {
        let address = try #require(EmailAddress(rawValue: email))
        var token: LinkToken?
        _ = try await environment.invitations.invite(
            address, as: role, by: account, in: team, from: TestEnvironment.origin, at: TestEnvironment.noon
        ) { issued, _ in token = issued.token }
        return try #require(token)
    }

    private func accept(
        _ token: LinkToken, as account: Subject, in environment: TestEnvironment,
        at now: Timestamp = TestEnvironment.noon
    ) async throws -> InvitationAcceptance.Outcome {
        try await environment.door.accept(token, as: account, from: TestEnvironment.origin, at: now)
    }

    @Test func `lead to no team that is closed`() async throws {
        try await withTeam { environment, team, ada in
            let token = try await invite(by: ada, to: team, in: environment)
            let ben = try environment.addAccount("ben")
            try environment.admin("UPDATE teams SET closed_at = now() WHERE team_id = '\(team)'")
            #expect(try await environment.door.find(token, at: TestEnvironment.noon) == nil)
            #expect(try await accept(token, as: ben, in: environment) == .gone)
        }
    }

    @Test func `lead to the team, tell what they are, and work once`() async throws {
        try await withTeam { environment, team, ada in
            let token = try await invite(by: ada, to: team, in: environment)
            let found = try #require(try await environment.door.find(token, at: TestEnvironment.noon))
            #expect(found.team.id == team && found.invitation.role == .developer)
            let accounts = try (0..<10).map { try environment.addAccount("account\($0)") }

            let outcomes = try await inParallel(10) { try await accept(token, as: accounts[$0], in: environment) }

            #expect(outcomes.count { $0 == .joined(team) } == 1)
            #expect(outcomes.count { $0 == .gone } == 9)
            #expect(try await environment.members.list(in: team).count == 2)
            #expect(try await environment.invitations.list(in: team).isEmpty)
            #expect(try await environment.door.find(token, at: TestEnvironment.noon) == nil)
        }
    }

    @Test func `V27: to a role that a member may not give are not replaced by them`() async throws {
        try await withTeam { environment, team, ada in
            let ben = try environment.addAccount("ben")
            try await environment.members.add(ben, as: .admin, to: team, by: .member(ada), from: TestEnvironment.origin)
            let token = try await invite("eve@acme.example", as: .owner, by: ada, to: team, in: environment)

            await #expect(throws: InvitationStore.Failure.notAllowed) {
                _ = try await invite("EVE@acme.example", as: .auditor, by: ben, to: team, in: environment)
            }

            #expect(try await environment.door.find(token, at: TestEnvironment.noon)?.invitation.role == .owner)
            _ = try await invite("eve@acme.example", as: .auditor, by: ada, to: team, in: environment)
            _ = try await invite("eve@acme.example", as: .developer, by: ben, to: team, in: environment)
        }
    }

    @Test func `end with their time`() async throws {
        try await withTeam { environment, team, ada in
            let token = try await invite(by: ada, to: team, in: environment)
            let late = TestEnvironment.noon + Invitation.life
            let ben = try environment.addAccount("ben")

            #expect(try await environment.door.find(token, at: late) == nil)
            #expect(try await accept(token, as: ben, in: environment, at: late) == .gone)
            #expect(try await environment.members.find(ben, in: team) == nil)
        }
    }

    @Test func `of the same address replace one another, whatever its case`() async throws {
        try await withTeam { environment, team, ada in
            let first = try await invite(by: ada, to: team, in: environment)
            let second = try await invite("Ben@Acme.example", as: .auditor, by: ada, to: team, in: environment)

            #expect(try await environment.door.find(first, at: TestEnvironment.noon) == nil)
            #expect(try await environment.door.find(second, at: TestEnvironment.noon)?.invitation.role == .auditor)
            #expect(try await environment.invitations.list(in: team).count == 1)
        }
    }

    @Test func `are sent together with their mail or not at all`() async throws {
        try await withTeam { environment, team, ada in
            let address = try #require(EmailAddress(rawValue: "ben@acme.example"))
            await #expect(throws: Refused.self) {
                _ = try await environment.invitations.invite(
                    address, as: .auditor, by: ada, in: team, from: TestEnvironment.origin
                ) { _, _ in throw Refused() }
            }
            #expect(try await environment.invitations.list(in: team).isEmpty)
        }
    }

    @Test func `are sent and withdrawn only as far as a role reaches`() async throws {
        try await withTeam { environment, team, ada in
            let ben = try environment.addAccount("ben")
            try await environment.members.add(ben, as: .admin, to: team, by: .member(ada), from: TestEnvironment.origin)
            await #expect(throws: InvitationStore.Failure.notAllowed) {
                _ = try await invite(as: .owner, by: ben, to: team, in: environment)
            }
            let token = try await invite(as: .owner, by: ada, to: team, in: environment)
            let id = try #require(try await environment.door.find(token, at: TestEnvironment.noon)).invitation.id

            await #expect(throws: InvitationStore.Failure.notAllowed) {
                _ = try await environment.invitations.withdraw(id, by: ben, in: team, from: TestEnvironment.origin)
            }
            #expect(try await environment.invitations.withdraw(id, by: ada, in: team, from: TestEnvironment.origin))
            #expect(try await !environment.invitations.withdraw(id, by: ada, in: team, from: TestEnvironment.origin))
            #expect(try await environment.door.find(token, at: TestEnvironment.noon) == nil)
        }
    }

    @Test func `make an account and a member at once, or neither`() async throws {
        try await withTeam { environment, team, ada in
            let token = try await invite(by: ada, to: team, in: environment)
            let subject = Subject(hexadecimal: "ben")
            let first = try await environment.door.accept(token, from: TestEnvironment.origin, at: TestEnvironment.noon)
            { address, transaction in
                #expect(address.rawValue == "ben@acme.example")
                try await transaction.query("INSERT INTO users (team_id, sub) VALUES ('PIPPIN0000', \(subject))")
                return subject
            }
            #expect(first?.team == team)
            #expect(try await environment.members.find(subject, in: team)?.role == .developer)

            let second = try await environment.door.accept(
                token, from: TestEnvironment.origin, at: TestEnvironment.noon
            ) { _, _ in
                Issue.record("a used link makes no account")
                return subject
            }
            #expect(second == nil)
        }
    }

    @Test func `to a team one belongs to leave the role alone`() async throws {
        try await withTeam { environment, team, ada in
            let token = try await invite(as: .auditor, by: ada, to: team, in: environment)

            #expect(try await accept(token, as: ada, in: environment) == .memberAlready(team))
            #expect(try await environment.members.find(ada, in: team)?.role == .owner)
        }
    }

    @Test func `are a hundred at most`() async throws {
        try await withTeam { environment, team, ada in
            try environment.admin(
                """
                INSERT INTO invitations
                SELECT $1, 'A' || lpad(i::text, 9, '0'), decode(lpad(to_hex(i), 8, '0'), 'hex'),
                    i || '@acme.example', 'auditor', $2, now(), now()
                FROM generate_series(1, 100) i
                """, team.rawValue, ada.rawValue)
            await #expect(throws: InvitationStore.Failure.tooMany) {
                _ = try await invite(by: ada, to: team, in: environment)
            }
            // One that is there already may be sent again.
            _ = try await invite("7@acme.example", by: ada, to: team, in: environment)
        }
    }

    @Test func `V43: a team has 500 members at most, however many accept at once`() async throws {
        try await withTeam { environment, team, ada in
            try environment.addMembers(498, to: team)
            var invited: [(account: Subject, token: LinkToken)] = []
            for number in 0..<10 {
                let account = try environment.addAccount("new\(number)")
                let token = try await invite("\(number)@acme.example", by: ada, to: team, in: environment)
                invited.append((account, token))
            }
            let all = invited

            let joined = try await inParallel(10) { number -> Bool in
                do {
                    let outcome = try await accept(all[number].token, as: all[number].account, in: environment)
                    #expect(outcome == .joined(team))
                    return true
                } catch MembershipStore.Failure.teamFull { return false }
            }

            #expect(joined.count { $0 } == 1)
            let count = try environment.admin("SELECT count(*) FROM memberships WHERE team_id = '\(team)'")
            #expect(count == [["500"]])
            // Those who came too late are invited yet, and nothing says that they have accepted.
            #expect(try await environment.invitations.list(in: team).count == 9)
            #expect(try environment.allActions(in: team).count { $0 == "invitation.accepted" } == 1)
            await #expect(throws: InvitationStore.Failure.teamFull) {
                _ = try await invite(by: ada, to: team, in: environment)
            }
            let cleo = try environment.addAccount("cleo")
            let rival = try await environment.addTeam("Rival", owner: cleo)
            let token = try await invite(by: cleo, to: rival, in: environment)
            #expect(try await accept(token, as: ada, in: environment) == .joined(rival))
        }
    }

    @Test func `V43: to a full team make no account, and work once somebody has left`() async throws {
        try await withTeam { environment, team, ada in
            let token = try await invite(by: ada, to: team, in: environment)
            let second = try await invite("ada@acme.example", by: ada, to: team, in: environment)
            try environment.addMembers(499, to: team)
            let subject = Subject(hexadecimal: "ben")
            func join() async throws -> TeamID? {
                try await environment.door.accept(token, from: TestEnvironment.origin, at: TestEnvironment.noon) {
                    _, transaction in
                    try await transaction.query(
                        "INSERT INTO users (team_id, sub) VALUES (\(TeamID.system), \(subject))")
                    return subject
                }?.team
            }

            await #expect(throws: MembershipStore.Failure.teamFull) { _ = try await join() }
            #expect(try environment.admin("SELECT FROM users WHERE sub = $1", subject.rawValue).isEmpty)
            // Who belongs to it takes no room.
            #expect(try await accept(second, as: ada, in: environment) == .memberAlready(team))

            try environment.admin("DELETE FROM memberships WHERE sub LIKE '%1.0000'")
            #expect(try await join() == team)
        }
    }

    @Test func `of Acme are nothing to Rival`() async throws {
        try await withTeam { environment, team, ada in
            let cleo = try environment.addAccount("cleo")
            let rival = try await environment.addTeam("Rival", owner: cleo)
            let token = try await invite(by: ada, to: team, in: environment)
            let id = try #require(try await environment.door.find(token, at: TestEnvironment.noon)).invitation.id

            #expect(try await environment.invitations.list(in: rival).isEmpty)
            #expect(try await environment.invitations.find(id, in: rival) == nil)
            #expect(try await !environment.invitations.withdraw(id, by: cleo, in: rival, from: TestEnvironment.origin))
            #expect(try await environment.door.find(token, at: TestEnvironment.noon) != nil)
        }
    }
}
