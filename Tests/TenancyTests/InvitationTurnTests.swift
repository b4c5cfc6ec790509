import Bytes
import Crypto
import Domain
import Postgres
import Tenancy
import TestDatabase
import Testing

/// Whom those keep waiting who join a team that somebody holds.
@Suite struct `Invitations to a team that is held` {
    @Test func `V43: have done nothing in the system team while they wait`() async throws {
        try await withEnvironment { environment in
            let ada = try environment.addAccount("ada")
            let team = try await environment.addTeam("Acme", owner: ada)
            let token = try await invite(by: ada, to: team, in: environment)
            let subject = Subject(hexadecimal: "ben")
            let holder = try RowHolder(
                at: environment.conninfo, "SELECT FROM teams WHERE team_id = $1 FOR UPDATE", [team.rawValue])

            async let joining = environment.door.accept(token, from: TestEnvironment.origin, at: TestEnvironment.noon) {
                _, transaction in
                try await transaction.query("INSERT INTO users (team_id, sub) VALUES (\(TeamID.system), \(subject))")
                return subject
            }
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

    private func invite(by account: Subject, to team: TeamID, in environment: TestEnvironment) async throws -> LinkToken
    {
        let address = try #require(EmailAddress(rawValue: "ben@acme.example"))
        var token: LinkToken?
        _ = try await environment.invitations.invite(
            address, as: .developer, by: account, in: team, from: TestEnvironment.origin, at: TestEnvironment.noon
        ) { issued, _ in token = issued.token }
        return try #require(token)
    }
}
