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
            let holder = try AdminConnection(to: environment.conninfo)
            try holder.execute("BEGIN")
            try holder.execute("SELECT FROM teams WHERE team_id = $1 FOR UPDATE", [team.rawValue])
            let pid = try holder.execute("SELECT pg_backend_pid()::text", [])[0][0]

            async let joining = environment.door.accept(token, from: TestEnvironment.origin, at: TestEnvironment.noon) {
                _, transaction in
                try await transaction.query("INSERT INTO users (team_id, sub) VALUES (\(TeamID.system), \(subject))")
                return subject
            }
            let waiting = "FROM pg_stat_activity AS a WHERE $1::integer = ANY (pg_blocking_pids(a.pid))"
            let deadline = ContinuousClock.now + .seconds(600)
            while try environment.admin("SELECT \(waiting)", pid).isEmpty {
                try #require(ContinuousClock.now < deadline, "nobody waited for what was held")
                try await Task.sleep(for: .milliseconds(5))
            }
            let written = try environment.admin(
                """
                SELECT FROM pg_locks WHERE relation = 'users'::regclass AND mode = 'RowExclusiveLock'
                    AND pid IN (SELECT a.pid \(waiting))
                """, pid)
            try holder.execute("COMMIT")
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
