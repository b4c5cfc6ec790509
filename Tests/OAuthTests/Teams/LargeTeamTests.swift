import Core
import Crypto
import EventLoop
import Platform
import Registry
import TestDatabase
import Testing

@testable import OAuth
@testable import TestTeams

/// A team that has much, on the loops that serve the others.
@Suite struct LargeTeamTests {
    /// Fills Acme with so many App IDs, which have five Service IDs and two keys each.
    private static func fill(_ teams: TestTeams, _ count: Int) throws {
        try teams.addApps(count, named: "com.acme.filler")
        for statement in [
            """
            INSERT INTO client_identifiers (team_id, identifier, kind)
            SELECT 'ACMETEAM01', 'com.acme.filler' || n || '.web' || k, 'service'
            FROM generate_series(1, \(count)) AS n, generate_series(1, 5) AS k
            """,
            """
            INSERT INTO service_ids (team_id, identifier, app_id, rank, description)
            SELECT 'ACMETEAM01', 'com.acme.filler' || n || '.web' || k, 'com.acme.filler' || n, k, 'Web ' || n
            FROM generate_series(1, \(count)) AS n, generate_series(1, 5) AS k
            """,
            """
            INSERT INTO service_domains (team_id, service_id, domain)
            SELECT team_id, identifier, 'acme.example' FROM service_ids
            WHERE team_id = 'ACMETEAM01' AND identifier LIKE '%filler%' AND rank < 5
            """,
            """
            INSERT INTO return_urls (team_id, service_id, rank, url)
            SELECT team_id, identifier, n, 'https://acme.example/' || identifier || '/callback/' || n
            FROM service_ids, generate_series(1, 2) AS n
            WHERE team_id = 'ACMETEAM01' AND identifier LIKE '%filler%'
            """,
            """
            INSERT INTO keys (team_id, key_id, name, app_id, rank, public_key_pem, fingerprint)
            SELECT 'ACMETEAM01', 'F' || lpad((n * 2 + k)::text, 9, '0'), 'Key', 'com.acme.filler' || n, k,
                public_key_pem, fingerprint
            FROM keys, generate_series(1, \(count)) AS n, generate_series(1, 2) AS k
            WHERE team_id = 'ACMETEAM01' AND key_id = 'ACMEKEY001'
            """,
        ] { try teams.admin(statement) }
    }

    /// Connects the first so many of them to Apple, each with a key of its own.
    private static func connect(_ teams: TestTeams, _ count: Int) async throws {
        let keys = AppleKeyStore(teams.database, keyRing: teams.server.keyRing)
        let pem = P256SigningKey.generate().pem
        try await teams.database.change(in: .acme) { change in
            for number in 1...count {
                let draft = try AppleKey.Import(
                    "P\(100_000_000 + number)", of: "com.acme.filler\(number)", privateKey: pem,
                    ["name": "Key", "teamID": "APPLESIM00"])
                _ = try await keys.create(draft, change)
            }
        }
        try teams.admin(
            """
            INSERT INTO apple_connections (team_id, app_id, services_id, key_id)
            SELECT team_id, app_id, app_id || '.siwa', key_id FROM apple_keys WHERE team_id = 'ACMETEAM01'
            """)
    }

    @Test func `V43: what a large team registered is read off the loops, and a small one's is not`() async throws {
        try await withTeams { teams in
            let count = 40
            try Self.fill(teams, count)
            try await Self.connect(teams, 3)
            let pool = try BlockingPool(name: "registries", threads: 1, queueLimit: 4)
            defer { pool.stop() }
            let cache = TeamCache(loop: teams.loop, database: teams.database, server: teams.server, pool: pool)

            let acme = try #require(try await cache.snapshot(of: .acme))

            #expect(acme.clientIDs.count == 4 + count + count * 5 + 6 && acme.keys.count == count * 2 + 2)
            #expect(acme.isRegisteredAtApple)
            #expect(acme.appleTokenRegistration(of: .named("com.acme.filler2"))?.bundleIDs.count == 1)
            #expect(pool.callCount == 1)
            #expect(try await cache.snapshot(of: .rival) != nil)
            #expect(pool.callCount == 1)
        }
    }

    @Test func `V43: what a team registered is large by its octets, too`() async throws {
        try await withTeams { teams in
            try Self.fill(teams, 5)
            try teams.admin("UPDATE return_urls SET url = url || repeat('%41', 600) WHERE team_id = 'ACMETEAM01'")
            let pool = try BlockingPool(name: "registries", threads: 1, queueLimit: 4)
            defer { pool.stop() }
            let cache = TeamCache(loop: teams.loop, database: teams.database, server: teams.server, pool: pool)
            #expect(try await cache.snapshot(of: .acme) != nil)
            #expect(pool.callCount == 1)
        }
    }

    @Test func `a team is read as it was at one moment, whatever is committed meanwhile`() async throws {
        try await withEngine { engine in
            let holder = try RowHolder(at: engine.conninfo, "UPDATE app_ids SET description = 'New'")
            try holder.execute("UPDATE service_ids SET description = 'New'")
            // The App IDs are read before, the Service IDs afterwards.
            try holder.execute("LOCK TABLE service_ids")
            let load = Task(executorPreference: engine.teams.loop) { try await engine.snapshot() }
            try await holder.waitForWaiters()
            try holder.commit()
            let team = try await load.value
            #expect(team.client(.app)?.name == "New" && team.client(.web)?.name == "New")
        }
    }

    @Test func `V43: a key is read when the first secret is checked with it, and the others are not`() async throws {
        try await withEngine { engine in
            let team = try await engine.snapshot()
            #expect(team.keys.count == 2 && team.keys.values.allSatisfy { !$0.isRead })
            #expect(try await engine.authenticate(try engine.teams.secret(), of: team) == nil)
            #expect(team.keys[.acme]?.isRead == true && team.keys[.acmeOther]?.isRead == false)
        }
    }

    @Test func `V43: a key that cannot be read proves nobody`() async throws {
        try await withEngine { engine in
            try engine.admin("UPDATE keys SET public_key_pem = 'none' WHERE key_id = 'ACMEKEY001'")
            #expect(try await engine.authenticate(try engine.teams.secret()) != nil)
        }
    }

    @Test func `V43: cut-offs and transfers of what the team has no more are not read`() async throws {
        try await withEngine { engine in
            for client in ["*", "com.acme.web", "com.acme.gone"] {
                try engine.admin(
                    "INSERT INTO not_befores (team_id, client_id, not_before) VALUES ('ACMETEAM01', $1, now())", client)
            }
            #expect(Set(try await engine.snapshot().notBefores.keys) == ["*", "com.acme.web"])
            try await engine.moveApp()
            #expect(try await engine.snapshot().transfers.outgoing.count == 1)
            #expect(try await engine.snapshot(.rival).transfers.incoming.count == 1)
            _ = try await engine.database.change(in: .acme, by: Engine.member, from: .test) { change in
                try await AppIDStore(engine.database).delete(.other, reason: "moved", change)
            }
            #expect(try await engine.snapshot().transfers.outgoing.isEmpty)
            #expect(try await engine.snapshot(.rival).transfers.incoming.count == 1)
        }
    }

    @Test func `V43, V46: a team with as many App IDs as it may have takes none from another team`() async throws {
        try await withEngine { engine in
            let offer = try await engine.offer()
            try engine.addApps(499, named: "com.rival.filler", to: .rival)
            await #expect(throws: ValidationError.limitReached(.appIDs, of: "RIVALTEAM1")) {
                _ = try await engine.accept(offer)
            }
            #expect(try engine.transferStates() == ["offered"])
            try engine.admin("DELETE FROM client_identifiers WHERE identifier = 'com.rival.filler7'")
            #expect(try await engine.accept(offer) == .other)
        }
    }
}

@Suite struct `A registry that changes again and again` {
    @Test func `V21, V43: look-ups that wait share one reading, which shows what was changed meanwhile`() async throws {
        try await withTeams { teams in
            let cache = TeamCache(loop: teams.loop, database: teams.database, server: teams.server)
            cache.confirm([:], at: .afterTheTest)
            let limit = RateLimit.registryReloads
            let used = RateLimit.Use(limit, by: .team, limit.count - 1)
            // Of a window that is not over before the test is.
            #expect(cache.limits.isWithin([used], in: .acme, at: .now() + .seconds(86_400)))
            let (waiting, wait) = AsyncStream<Void>.makeStream()
            let (end, proceed) = AsyncStream<Void>.makeStream()
            cache.delay = { _ in
                wait.yield()
                for await _ in end { break }
            }
            // The last one within the limit waits for nothing.
            for _ in 0..<2 {
                #expect(try await cache.snapshot(of: .acme) != nil)
                cache.forget(.acme)
            }
            async let first = cache.snapshot(of: .acme)
            for await _ in waiting { break }
            for name in ["One", "Two", "Three"] {
                try teams.setName(name)
                cache.forget(.acme)
            }
            // Another team waits for nothing.
            #expect(try await cache.snapshot(of: .rival) != nil)
            proceed.yield()
            let last = try #require(try await cache.snapshot(of: .acme))
            #expect(last.name == "Three")
            #expect(try await first === last)
        }
    }
}
