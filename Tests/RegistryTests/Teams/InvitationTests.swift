import Core
import Crypto
import Platform
import Postgres
import Registry
import TestSupport
import Testing

@Suite struct `Invitations` {
    private struct Refused: Error {}

    private func withTeam(_ body: @escaping @Sendable (TestEnvironment, TeamID, _ ada: Subject) async throws -> Void)
        async throws
    {
        try await withAda { environment, ada in
            try await body(environment, try await environment.addTeam("Acme", owner: ada), ada)
        }
    }

    @Test func `lead to no team that is closed`() async throws {
        try await withTeam { environment, team, ada in
            let token = try await environment.invite(by: ada, to: team)
            let ben = try environment.addAccount("ben")
            try environment.setClosed(team)
            #expect(try await environment.find(token) == nil)
            #expect(try await environment.accept(token, as: ben) == .gone)
        }
    }

    @Test func `lead to the team, tell what they are, and work once`() async throws {
        try await withTeam { environment, team, ada in
            let token = try await environment.invite(by: ada, to: team)
            let found = try #require(try await environment.find(token))
            #expect(found.team.id == team && found.invitation.role == .developer)
            let accounts = try (0..<10).map { try environment.addAccount("account\($0)") }

            let outcomes = try await race(10) { try await environment.accept(token, as: accounts[$0]) }

            #expect(outcomes.count { $0 == .joined(team) } == 1)
            #expect(outcomes.count { $0 == .gone } == 9)
            #expect(try await environment.members.list(in: team).count == 2)
            #expect(try await environment.invitations.list(in: team).isEmpty)
            #expect(try await environment.find(token) == nil)
        }
    }

    @Test func `V27: to a role that a member may not give are not replaced by them`() async throws {
        try await withTeam { environment, team, ada in
            let ben = try environment.addAccount("ben")
            try await environment.join(ben, as: .admin, team, by: ada)
            let token = try await environment.invite("eve@acme.example", as: .owner, by: ada, to: team)

            await #expect(throws: InvitationStore.Failure.notAllowed) {
                _ = try await environment.invite("EVE@acme.example", as: .auditor, by: ben, to: team)
            }

            #expect(try await environment.find(token)?.invitation.role == .owner)
            _ = try await environment.invite("eve@acme.example", as: .auditor, by: ada, to: team)
            _ = try await environment.invite("eve@acme.example", as: .developer, by: ben, to: team)
        }
    }

    @Test func `end with their time`() async throws {
        try await withTeam { environment, team, ada in
            let token = try await environment.invite(by: ada, to: team)
            let late = Timestamp.noon + Invitation.life
            let ben = try environment.addAccount("ben")

            #expect(try await environment.find(token, at: late) == nil)
            #expect(try await environment.accept(token, as: ben, at: late) == .gone)
            #expect(try await environment.members.find(ben, in: team) == nil)
        }
    }

    @Test func `of the same address replace one another, whatever its case`() async throws {
        try await withTeam { environment, team, ada in
            let first = try await environment.invite(by: ada, to: team)
            let second = try await environment.invite("Ben@Acme.example", as: .auditor, by: ada, to: team)

            #expect(try await environment.find(first) == nil)
            #expect(try await environment.find(second)?.invitation.role == .auditor)
            #expect(try await environment.invitations.list(in: team).count == 1)
        }
    }

    @Test func `are sent together with their mail or not at all`() async throws {
        try await withTeam { environment, team, ada in
            let address = try #require(EmailAddress(rawValue: "ben@acme.example"))
            await #expect(throws: Refused.self) {
                _ = try await environment.invitations.invite(address, as: .auditor, by: ada, in: team, from: .test) {
                    _, _ in throw Refused()
                }
            }
            #expect(try await environment.invitations.list(in: team).isEmpty)
        }
    }

    @Test func `are sent and withdrawn only as far as a role reaches`() async throws {
        try await withTeam { environment, team, ada in
            let ben = try environment.addAccount("ben")
            try await environment.join(ben, as: .admin, team, by: ada)
            await #expect(throws: InvitationStore.Failure.notAllowed) {
                _ = try await environment.invite(as: .owner, by: ben, to: team)
            }
            let token = try await environment.invite(as: .owner, by: ada, to: team)
            let id = try #require(try await environment.find(token)).invitation.id

            await #expect(throws: InvitationStore.Failure.notAllowed) {
                _ = try await environment.withdraw(id, by: ben, in: team)
            }
            #expect(try await environment.withdraw(id, by: ada, in: team))
            #expect(try await !environment.withdraw(id, by: ada, in: team))
            #expect(try await environment.find(token) == nil)
        }
    }

    @Test func `make an account and a member at once, or neither`() async throws {
        try await withTeam { environment, team, ada in
            let token = try await environment.invite(by: ada, to: team)
            let subject = Subject(hexadecimal: "ben")
            let first = try await environment.door.accept(token, from: .test, at: .noon) { address, change in
                #expect(address.rawValue == "ben@acme.example")
                try await change.query("INSERT INTO users (team_id, sub) VALUES ('PIPPIN0000', \(subject))")
                return subject
            }
            #expect(first?.team == team)
            #expect(try await environment.members.find(subject, in: team)?.role == .developer)

            let second = try await environment.door.accept(token, from: .test, at: .noon) { _, _ in
                Issue.record("a used link makes no account")
                return subject
            }
            #expect(second == nil)
        }
    }

    @Test func `to a team one belongs to leave the role alone`() async throws {
        try await withTeam { environment, team, ada in
            let token = try await environment.invite(as: .auditor, by: ada, to: team)

            #expect(try await environment.accept(token, as: ada) == .memberAlready(team))
            #expect(try await environment.members.find(ada, in: team)?.role == .owner)
        }
    }

    @Test func `V43: a team has 500 members at most, however many accept at once`() async throws {
        try await withTeam { environment, team, ada in
            try environment.addMembers(498, to: team)
            var invited: [(account: Subject, token: LinkToken)] = []
            for number in 0..<10 {
                let account = try environment.addAccount("new\(number)")
                let token = try await environment.invite("\(number)@acme.example", by: ada, to: team)
                invited.append((account, token))
            }
            let (all, own) = (invited, try await environment.invite("ada@acme.example", by: ada, to: team))

            let joined = try await race(10, refused: MembershipStore.Failure.teamFull) { number async throws in
                #expect(try await environment.accept(all[number].token, as: all[number].account) == .joined(team))
            }

            #expect(joined == 1)
            #expect(try environment.count("memberships", in: team) == 500)
            // Who belongs to it takes no room.
            #expect(try await environment.accept(own, as: ada) == .memberAlready(team))
            // Those who came too late are invited yet, and nothing says that they have accepted.
            #expect(try await environment.invitations.list(in: team).count == 9)
            #expect(try environment.allActions(in: team).count { $0 == "invitation.accepted" } == 2)
            await #expect(throws: InvitationStore.Failure.teamFull) {
                _ = try await environment.invite(by: ada, to: team)
            }
            let cleo = try environment.addAccount("cleo")
            let rival = try await environment.addTeam("Rival", owner: cleo)
            let token = try await environment.invite(by: cleo, to: rival)
            #expect(try await environment.accept(token, as: ada) == .joined(rival))
        }
    }
}
