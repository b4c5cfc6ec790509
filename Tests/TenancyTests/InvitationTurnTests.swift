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
        try await withWorld { world in
            let ada = try world.addAccount("ada")
            let team = try await world.addTeam("Acme", owner: ada)
            let token = try await invite(by: ada, to: team, in: world)
            let subject = Subject(hexadecimal: "ben")
            let holder = try AdminConnection(to: world.conninfo)
            try holder.execute("BEGIN")
            try holder.execute("SELECT FROM teams WHERE team_id = $1 FOR UPDATE", [team.rawValue])
            let pid = try holder.execute("SELECT pg_backend_pid()::text", [])[0][0]

            async let joining = world.door.accept(token, from: World.origin, at: World.noon) {
                _,
                transaction in
                try await transaction.query(
                    "INSERT INTO users (team_id, sub) VALUES (\(TeamID.system), \(subject))"
                )
                return subject
            }
            let waiting = "FROM pg_stat_activity AS a WHERE $1::integer = ANY (pg_blocking_pids(a.pid))"
            let deadline = ContinuousClock.now + .seconds(600)
            while try world.admin("SELECT \(waiting)", pid).isEmpty {
                try #require(ContinuousClock.now < deadline, "nobody waited for what was held")
                try await Task.sleep(for: .milliseconds(5))
            }
            let written = try world.admin(
                """
                SELECT FROM pg_locks WHERE relation = 'users'::regclass AND mode = 'RowExclusiveLock'
                    AND pid IN (SELECT a.pid \(waiting))
                """,
                pid
            )
            try holder.execute("COMMIT")
            let joined = try await joining

            #expect(written.isEmpty)
            #expect(joined?.account == subject && joined?.team == team)
            #expect(try await world.members.find(subject, in: team)?.role == .developer)
        }
    }

    private func invite(by account: Subject, to team: TeamID, in world: World) async throws -> LinkToken {
        let address = try #require(EmailAddress(rawValue: "ben@acme.example"))
        var token: LinkToken?
        _ = try await world.invitations.invite(
            address,
            as: .developer,
            by: account,
            in: team,
            from: World.origin,
            at: World.noon
        ) { issued, _ in token = issued.token }
        return try #require(token)
    }
}
