import Core
import Crypto
import EventLoop
import Platform
import Postgres
import Registry
import TestDatabase
import TestSupport
import Testing

@testable import OAuth
@testable import TestTeams

/// Case V21: what is revoked stops within a second on every loop.
@Suite struct RegistryWatchTests {
    /// A second loop of the process, with connections and a cache of its own, and the watch that serves both.
    ///
    /// What the caches know is proved for as long as a test runs: they lose it by what the watch sees, or not at all.
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
                let process = try await make(teams, loop)
                let result: Result<Void, any Error>
                do { result = .success(try await body(process)) } catch { result = .failure(error) }
                process.system.close()
                try await loop.run { process.database.close() }
                loop.stop()
                try result.get()
            }
        }

        private static func make(_ teams: TestTeams, _ loop: EventLoop) async throws -> Process {
            let (database, there) = try await loop.run {
                let database = Database(loop: loop, configuration: .forTests(teams.conninfo, role: "pippin_app"))
                database.open()
                return (database, TeamCache(loop: loop, database: TeamDatabase(database), server: teams.server))
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

        /// Has the watch look once, and both loops learn what it saw.
        func look() async throws {
            try await teams.loop.run { await watch.readOnce() }
            try await loop.run {}
        }

        /// Has it look for the first time, after which what is in the caches stays there.
        func begin() async throws {
            try await look()
            here.confirm([:], at: .afterTheTest)
            try await loop.run { there.confirm([:], at: .afterTheTest) }
        }

        func snapshotThere(_ team: TeamID = .acme) async throws -> TeamSnapshot? {
            try await loop.run { try await there.snapshot(of: team) }
        }

        /// Revokes Acme's first key through another connection, as another server would.
        func revokeKey() async throws {
            _ = try await teams.database.change(in: .acme) { change in
                try await teams.keys.revoke(.acme, reason: "leaked", change)
            }
        }
    }

    @Test func `V21: a revoked key stops within a second on another loop`() async throws {
        #expect(RegistryWatch.interval <= .milliseconds(400))
        try await Process.with { process in
            try await process.begin()
            let task = Task(executorPreference: process.teams.loop) { await process.watch.run() }
            #expect(try await process.acceptsThere())
            try await process.revokeKey()
            try await waitUntil { try await !process.acceptsThere() }
            process.watch.stop()
            await task.value
        }
    }

    @Test func `V21: one look is enough, and before it the key is good`() async throws {
        try await Process.with { process in
            try await process.begin()
            #expect(try await process.acceptsThere())
            try await process.revokeKey()
            #expect(try await process.acceptsThere())
            try await process.look()
            #expect(try await !process.acceptsThere())
        }
    }

    @Test func `while nothing changes the other loop keeps its snapshot, and loses it with the change`() async throws {
        try await Process.with { process in
            try await process.begin()
            let first = try #require(try await process.snapshotThere())
            for _ in 0..<4 { try await process.look() }
            #expect(try await process.snapshotThere() === first)
            try process.teams.setName("Acme Inc.")
            try await process.look()
            let second = try #require(try await process.snapshotThere())
            #expect(second.name == "Acme Inc." && second.version > first.version)
        }
    }

    @Test func `V21: a change that took minutes until its commit is seen by who holds the team`() async throws {
        try await Process.with { process in
            try await process.begin()
            #expect(try await process.snapshotThere()?.name == "Acme")
            try await process.look()
            // As it stands once it is committed: the time is that of the change.
            try process.teams.admin(
                """
                DO $$
                BEGIN
                    UPDATE teams SET name = 'Acme Inc.' WHERE team_id = 'ACMETEAM01';
                    UPDATE registry_versions SET changed_at = now() - interval '2 minutes'
                    WHERE team_id = 'ACMETEAM01';
                END
                $$
                """)
            try await process.look()
            #expect(try await process.snapshotThere()?.name == "Acme Inc.")
        }
    }

    @Test func `a change made in this process is known at once`() async throws {
        try await Process.with { process in
            try await process.begin()
            #expect(try await process.acceptsThere())
            #expect(try await process.here.snapshot(of: .acme) != nil)
            try await process.revokeKey()
            process.watch.announce(.acme)
            #expect(try await !process.acceptsThere())
            let here = try #require(try await process.here.snapshot(of: .acme))
            #expect(here.keys[.acme] == nil && here.keys[.acmeOther] != nil)
        }
    }

    @Test func `when the watch sees nothing any more, look-ups go back to the database`() async throws {
        try await Process.with { process in
            try await process.look()
            #expect(try await process.acceptsThere())
            process.system.close()
            try await process.revokeKey()
            // What the last look proved is good for a second.
            try await waitUntil {
                try await process.look()
                return try await !process.acceptsThere()
            }
        }
    }

    @Test func `using a key is no change of the registry`() async throws {
        try await withEngine { engine in
            let version = try await engine.snapshot().version
            _ = try await engine.tokens()
            #expect(try await engine.snapshot().version == version)
            let uses = try engine.admin("SELECT key_id FROM key_uses")
            #expect(uses == [["ACMEKEY001"]])
        }
    }

    @Test func `every kind of registration raises the version`() async throws {
        try await withEngine { engine in
            var version = try await engine.snapshot().version
            for statement in [
                "UPDATE app_ids SET is_enabled = NOT is_enabled WHERE identifier = 'com.acme.app'",
                "UPDATE service_ids SET requires_pkce = true WHERE identifier = 'com.acme.web'",
                "DELETE FROM return_urls WHERE service_id = 'com.acme.web' AND rank = 2",
                "UPDATE keys SET rank = NULL, revoked_at = now() WHERE key_id = 'ACMEKEY001'",
                "UPDATE signing_keys SET retires_at = now() WHERE team_id = 'ACMETEAM01'",
                "UPDATE teams SET mode = 'sandbox' WHERE team_id = 'ACMETEAM01'",
            ] {
                try engine.admin(statement)
                let next = try await engine.snapshot().version
                #expect(next > version, "\(statement)")
                version = next
            }
        }
    }
}
