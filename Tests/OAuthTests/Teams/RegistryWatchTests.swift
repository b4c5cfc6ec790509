import Bytes
import Crypto
import Domain
import EventLoop
import Postgres
import Registry
import TestDatabase
import Testing

@testable import OAuth
@testable import TestTeams

/// Case V21: what is revoked stops within a second on every loop.
@Suite struct RegistryWatchTests {
    /// A second loop of the process, with connections and a cache of its own, and the watch that serves both.
    private struct Process: Sendable {
        let teams: TestTeams
        let loop: EventLoop
        let database: Database
        let system: Database
        let here: TeamCache
        let there: TeamCache
        let watch: RegistryWatch

        static func with(_ body: @escaping @Sendable (Process) async throws -> Void) async throws {
            try await withTeams { teams in
                let loop = try EventLoop(name: "second")
                try loop.start()
                let house = try await make(teams, loop)
                let task = Task(executorPreference: teams.loop) { await house.watch.run() }
                let result: Result<Void, any Error>
                do { result = .success(try await body(house)) } catch { result = .failure(error) }
                house.watch.stop()
                await task.value
                house.system.close()
                try await loop.run { house.database.close() }
                loop.stop()
                try result.get()
            }
        }

        private static func make(_ teams: TestTeams, _ loop: EventLoop) async throws -> Process {
            let (database, there) = try await loop.run {
                let database = Database(loop: loop, configuration: .forTests(teams.conninfo, role: "pippin_app"))
                database.open()
                let cache = TeamCache(loop: loop, database: TeamDatabase(database), server: teams.server)
                return (database, cache)
            }
            let system = Database(loop: teams.loop, configuration: .forTests(teams.conninfo, role: "pippin_system"))
            system.open()
            let here = TeamCache(loop: teams.loop, database: teams.database, server: teams.server)
            let watch = RegistryWatch(
                loop: teams.loop, database: SystemDatabase(system), caches: [(teams.loop, here), (loop, there)],
                log: teams.server.log)
            return Process(
                teams: teams, loop: loop, database: database, system: system, here: here, there: there, watch: watch)
        }

        /// Whether the second loop accepts a secret of Acme's first key.
        func acceptsThere() async throws -> Bool {
            let secret = try teams.secret()
            return try await loop.run {
                guard let team = try await there.snapshot(of: .acme) else { return false }
                let server = teams.server
                let testSignIns = TestSignInStore(database: TeamDatabase(database), keyRing: server.keyRing)
                let authentication = ClientAuthentication(
                    team: team, base: server.base(of: .acme), testSignIns: testSignIns)
                let parameters = try ProtocolParameters(["client_id": "com.acme.web", "client_secret": secret])
                do {
                    _ = try await authentication.authenticate(parameters, at: server.clock())
                    return true
                } catch is OAuthError { return false }
            }
        }

        /// How often the watch has asked the database.
        func looks() async throws -> Int { try await teams.loop.run { system.statementCount } }

        func wait(forLooks count: Int) async throws {
            let before = try await looks()
            while try await looks() < before + count { await teams.loop.sleep(for: .milliseconds(20)) }
        }

        func snapshotThere(_ team: TeamID = .acme) async throws -> TeamSnapshot? {
            try await loop.run { try await there.snapshot(of: team) }
        }

        /// Revokes Acme's first key through another connection, as another server would.
        func revokeKey() async throws {
            _ = try await teams.keys.revoke(
                .acme, reason: "leaked", in: .acme, by: .member(teams.people.ada), from: TestTeams.origin)
        }
    }

    @Test func `V21: a revoked key stops within a second on another loop`() async throws {
        try await Process.with { house in
            #expect(try await house.acceptsThere())
            await house.teams.loop.sleep(for: .milliseconds(500))
            #expect(try await house.acceptsThere())
            try await house.revokeKey()
            // One may have been under way; the next, 400 ms later, sees it, and has ended when another begins.
            try await house.wait(forLooks: 2)
            #expect(try await !house.acceptsThere())
        }
    }

    @Test func `while nothing changes the other loop keeps its snapshot, and loses it with the change`() async throws {
        try await Process.with { house in
            // On a machine that is held up a look may be more than a second late, and the snapshot is read again.
            var (first, second): (TeamSnapshot?, TeamSnapshot?)
            for _ in 0..<20 where first == nil || first !== second {
                try await house.wait(forLooks: 1)
                first = try await house.snapshotThere()
                try await house.wait(forLooks: 4)
                second = try await house.snapshotThere()
            }
            let kept = try #require(first)
            #expect(kept === second)
            try house.teams.admin("UPDATE teams SET name = 'Acme Inc.' WHERE team_id = 'ACMETEAM01'")
            try await house.wait(forLooks: 3)
            let third = try #require(try await house.snapshotThere())
            #expect(third.name == "Acme Inc." && third.version > kept.version)
        }
    }

    @Test func `V21: a change that took minutes until its commit is seen by who holds the team`() async throws {
        try await Process.with { house in
            let before = try #require(try await house.snapshotThere())
            #expect(before.name != "Acme Inc.")
            try await house.wait(forLooks: 2)
            // As it stands once it is committed: the time is that of the change.
            try house.teams.admin(
                """
                DO $$
                BEGIN
                    UPDATE teams SET name = 'Acme Inc.' WHERE team_id = 'ACMETEAM01';
                    UPDATE registry_versions SET changed_at = now() - interval '2 minutes'
                    WHERE team_id = 'ACMETEAM01';
                END
                $$
                """)
            // One look may have been under way, and the one before it may have found the team not yet held.
            try await house.wait(forLooks: 4)
            #expect(try await house.snapshotThere()?.name == "Acme Inc.")
        }
    }

    @Test func `a change made in this process is known at once`() async throws {
        try await Process.with { house in
            await house.teams.loop.sleep(for: .milliseconds(100))
            #expect(try await house.acceptsThere())
            #expect(try await house.here.snapshot(of: .acme) != nil)
            try await house.revokeKey()
            house.watch.announce(.acme)
            #expect(try await !house.acceptsThere())
            let here = try #require(try await house.here.snapshot(of: .acme))
            #expect(here.keys[.acme] == nil && here.keys[.acmeOther] != nil)
        }
    }

    @Test func `when the watch sees nothing any more, look-ups go back to the database`() async throws {
        try await Process.with { house in
            await house.teams.loop.sleep(for: .milliseconds(100))
            #expect(try await house.acceptsThere())
            house.system.close()
            try await house.revokeKey()
            await house.teams.loop.sleep(for: .milliseconds(1000))
            #expect(try await !house.acceptsThere())
        }
    }

    @Test func `using a key is no change of the registry`() async throws {
        try await withEngine { engine in
            let version = try await engine.snapshot().version
            _ = try await engine.tokens()
            #expect(try await engine.snapshot().version == version)
            let uses = try engine.teams.admin("SELECT key_id FROM key_uses")
            #expect(uses == [["ACMEKEY001"]])
        }
    }

    @Test func `every kind of registration raises the version`() async throws {
        try await withEngine { engine in
            var version = try await engine.snapshot().version
            for statement in [
                "UPDATE app_ids SET is_enabled = NOT is_enabled WHERE identifier = 'com.acme.app'",
                "UPDATE service_ids SET requires_pkce = true WHERE identifier = 'com.acme.web'",
                "DELETE FROM return_urls WHERE service_id = 'com.acme.web' AND slot = 2",
                "UPDATE keys SET slot = NULL, revoked_at = now() WHERE key_id = 'ACMEKEY001'",
                "UPDATE signing_keys SET retires_at = now() WHERE team_id = 'ACMETEAM01'",
                "UPDATE teams SET mode = 'sandbox' WHERE team_id = 'ACMETEAM01'",
            ] {
                try engine.teams.admin(statement)
                let next = try await engine.snapshot().version
                #expect(next > version, "\(statement)")
                version = next
            }
        }
    }
}
