import Core
import Crypto
import EventLoop
import Platform
import Postgres
import Registry
import TestSupport
import Testing

@testable import OAuth
@testable import TestTeams

extension Int64 {
    /// A moment of the loop's clock: what is proved then is proved for as long as a test runs.
    static var afterTheTest: Int64 { .max / 2 }
}

private func withCache(_ body: @escaping @Sendable (TestTeams, TeamCache) async throws -> Void) async throws {
    try await withTeams { teams in
        try await body(teams, TeamCache(loop: teams.loop, database: teams.database, server: teams.server))
    }
}

/// What a loop knows of a team, and how soon it learns of a change made elsewhere.
@Suite struct TeamCacheTests {
    @Test func `without the watch every look-up reads the database`() async throws {
        try await withCache { teams, cache in
            for name in ["Acme", "Acme Inc.", "Acme Ltd."] {
                try teams.setName(name)
                #expect(try await cache.snapshot(of: .acme)?.name == name)
            }
        }
    }

    @Test func `while the watch proves it the newest, a snapshot is used again`() async throws {
        try await withCache { teams, cache in
            cache.confirm([:], at: .afterTheTest)
            let first = try #require(try await cache.snapshot(of: .acme))
            let second = try #require(try await cache.snapshot(of: .acme))
            #expect(first === second)
            cache.confirm([.acme: first.version, .rival: 1], at: .afterTheTest)
            let third = try #require(try await cache.snapshot(of: .acme))
            #expect(first === third)
            cache.confirm([.acme: first.version + 1], at: .afterTheTest)
            let fourth = try #require(try await cache.snapshot(of: .acme))
            #expect(first !== fourth)
        }
    }

    @Test func `who asks for it as it is now is not told what was proved before`() async throws {
        try await withCache { teams, cache in
            cache.confirm([:], at: .afterTheTest)
            let first = try #require(try await cache.currentSnapshot(of: .acme))
            #expect(try await cache.currentSnapshot(of: .acme) === first)
            let rival = try #require(try await cache.snapshot(of: .rival))
            try teams.setName("Acme Inc.")
            #expect(try await cache.snapshot(of: .acme) === first)
            #expect(try await cache.currentSnapshot(of: .acme)?.name == "Acme Inc.")
            #expect(try await cache.snapshot(of: .acme)?.name == "Acme Inc.")
            #expect(try await cache.currentSnapshot(of: .rival) === rival)
        }
    }

    @Test func `requests at once that ask for it as it is now load it once`() async throws {
        try await withCache { teams, cache in
            cache.confirm([:], at: .afterTheTest)
            _ = try await cache.snapshot(of: .acme)
            try teams.setName("Acme Inc.")
            async let one = cache.currentSnapshot(of: .acme)
            async let other = cache.currentSnapshot(of: .acme)
            let (first, second) = (try await one, try await other)
            #expect(first?.name == "Acme Inc." && first === second)
        }
    }

    @Test func `a proof is good for a second`() async throws {
        try await withCache { teams, cache in
            cache.confirm([:], at: MonotonicTime.now() - 1_000_000_000)
            let first = try #require(try await cache.snapshot(of: .acme))
            let second = try #require(try await cache.snapshot(of: .acme))
            #expect(first !== second)
            cache.confirm([:], at: .afterTheTest)
            #expect(try await cache.snapshot(of: .acme) === second)
        }
    }

    @Test func `a team that does not exist, or was deleted, is none, and is asked for anew`() async throws {
        try await withCache { teams, cache in
            let unknown = try #require(TeamID(rawValue: "NOSUCHTEAM"))
            cache.confirm([:], at: .afterTheTest)
            #expect(try await cache.snapshot(of: unknown) == nil)
            try teams.admin("INSERT INTO teams (team_id, name, mode) VALUES ('NOSUCHTEAM', 'New', 'sandbox')")
            #expect(try await cache.snapshot(of: unknown)?.name == "New")
            try teams.markDeleted(.rival)
            #expect(try await cache.snapshot(of: .rival) == nil)
        }
    }

    @Test func `a hundred look-ups at once share one reading`() async throws {
        try await withCache { teams, cache in
            let snapshots = try await race(100) { _ in try #require(try await cache.snapshot(of: .acme)) }
            #expect(Set(snapshots.map { ObjectIdentifier($0) }).count == 1)
        }
    }

    @Test func `a reading that was overtaken by a change is not kept`() async throws {
        try await withCache { teams, cache in
            cache.confirm([:], at: .afterTheTest)
            let early = try await teams.hold(
                ("LOCK TABLE keys", []),
                while: { Task(executorPreference: teams.loop) { try await cache.snapshot(of: .acme) } }, then: [])
            // It is answered by now, and this loop has not read the answer.
            cache.forget(.acme)
            let late = try #require(try await cache.snapshot(of: .acme))
            let overtaken = try #require(try await early.value)
            #expect(overtaken !== late)
            cache.confirm([:], at: .afterTheTest)
            let kept = try #require(try await cache.snapshot(of: .acme))
            #expect(kept === late)
        }
    }

    @Test func `a failure is thrown, not remembered`() async throws {
        try await withCache { teams, cache in
            try teams.admin("ALTER TABLE keys RENAME TO keys_away")
            await #expect(throws: PostgresFailure.self) { try await cache.snapshot(of: .acme) }
            try teams.admin("ALTER TABLE keys_away RENAME TO keys")
            #expect(try await cache.snapshot(of: .acme) != nil)
        }
    }
}

@Suite struct TeamCacheRoomTests {
    @Test func `V43: a team that does not exist takes the place of none`() async throws {
        try await withTeams { teams in
            let cache = TeamCache(loop: teams.loop, database: teams.database, server: teams.server, capacity: 1)
            cache.confirm([:], at: .afterTheTest)
            let acme = try #require(try await cache.snapshot(of: .acme))

            for number in 100...120 {
                let nobody = try #require(TeamID(rawValue: "NOBODY0\(number)"))
                #expect(try await cache.snapshot(of: nobody) == nil)
            }

            #expect(try await cache.snapshot(of: .acme) === acme)
            // One that exists does.
            #expect(try await cache.snapshot(of: .rival) != nil)
            #expect(try await cache.snapshot(of: .acme) !== acme)
        }
    }
}
