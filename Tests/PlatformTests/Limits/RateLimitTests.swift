import Core
import Postgres
import TestDatabase
import TestSupport
import Testing

@testable import Platform

/// Every limit of the table, tried alike.
@Suite struct `A rate limit` {
    private static let noon = Timestamp(seconds: 1_800_000_000)

    /// Those that all processes count together.
    private static let shared = RateLimit.all.filter {
        ![.traceEvents, .traceEventsOfCause, .traceEventsOfNetwork, .registryReloads].contains($0)
    }

    /// Two keys of a scope, the first with two spellings of the same owner where there are such.
    private static func keys(of limit: RateLimit) throws -> (own: LimitKey, other: LimitKey) {
        let ada = Subject(hexadecimal: "ada")
        return switch limit.scopes.first {
        case .network: (.network("2001:db8:0:12::1"), .network("2001:db8:0:112::1"))
        case .account: (.login("ada@acme.example"), .login("ben@acme.example"))
        case .session: (.session("1"), .session("2"))
        case .signIn: (.signIn("1", of: ada), .signIn("2", of: ada))
        case .client: (.client(try #require(ClientID(rawValue: "com.acme.app"))), .network("192.0.2.1"))
        case .recipient:
            (
                .recipient("ada@acme.example", for: .request, by: .network("192.0.2.1")),
                .recipient("ada@acme.example", for: .request, by: .network("192.0.2.2"))
            )
        case .host: (.host("acme.example"), .host("rival.example"))
        case .cause: (.cause("one"), .cause("other"))
        case .team, nil: (.team, limit.scopes.count == 1 ? .team : .account(ada))
        }
    }

    private static func wait(_ database: TeamDatabase, _ use: RateLimit.Use, in team: TeamID, at now: Timestamp)
        async throws -> Duration?
    {
        do {
            try await database.count([use], in: team, at: now)
            return nil
        } catch let refusal as TooManyRequests {
            #expect(refusal.limit == use.limit)
            return refusal.wait
        }
    }

    @Test func `V43, V46: holds at its number, for its key and team alone, until its window is over`() async throws {
        try await withConnectedDatabase { world in
            for limit in Self.shared {
                let (own, other) = try Self.keys(of: limit)
                let database = TeamDatabase(world.app)
                let use = RateLimit.Use(limit, by: own)
                try await database.count([RateLimit.Use(limit, by: own, limit.count - 1)], in: .acme, at: Self.noon)
                #expect(try await Self.wait(database, use, in: .acme, at: Self.noon) == nil, "\(limit.name)")
                let wait = try #require(try await Self.wait(database, use, in: .acme, at: Self.noon), "\(limit.name)")
                #expect(wait == limit.window, "\(limit.name)")
                #expect(TooManyRequests(limit: limit, wait: wait).retryAfter == Int(wait.components.seconds))
                #expect(try await Self.wait(database, use, in: .rival, at: Self.noon) == nil, "\(limit.name)")
                if limit.scopes != [.team] {
                    #expect(
                        try await Self.wait(database, RateLimit.Use(limit, by: other), in: .acme, at: Self.noon) == nil,
                        "\(limit.name)")
                }
                let later = Self.noon + limit.window
                #expect(try await Self.wait(database, use, in: .acme, at: later) == nil, "\(limit.name)")
            }
        }
    }

    @Test func `V46: of two processes is exceeded by a sixteenth at most, by 200 at once`() async throws {
        try await withConnectedDatabase { world in
            for limit in Self.shared {
                let processes = [TeamDatabase(world.app), TeamDatabase(world.app)]
                // What is left is less than comes.
                let used = max(0, limit.count - 100)
                let (own, _) = try Self.keys(of: limit)
                try await processes[0].count([RateLimit.Use(limit, by: own, used)], in: .acme, at: Self.noon)
                let admitted = try await race(200) { number in
                    try await Self.wait(processes[number % 2], RateLimit.Use(limit, by: own), in: .acme, at: Self.noon)
                        == nil
                }.count { $0 }
                #expect(used + admitted >= limit.count, "\(limit.name): \(used + admitted)")
                #expect(used + admitted <= limit.count + limit.count / 16, "\(limit.name): \(used + admitted)")
            }
        }
    }

    @Test func `is counted in one statement with others, and one that refuses takes nothing of them`() async throws {
        try await withConnectedDatabase { world in
            let database = world.database
            let network = RateLimit.Use(.failedProofsOfNetwork, by: .network("192.0.2.1"))
            let account = RateLimit.Use(.failedProofs, by: .login("ada"))
            for _ in 0..<50 {
                let somebody = RateLimit.Use(.failedProofs, by: .login("somebody"), 0)
                try await database.count([network, somebody], in: .acme, at: Self.noon)
            }
            for _ in 0..<20 {
                await #expect(throws: TooManyRequests(limit: .failedProofsOfNetwork, wait: .minutes(15))) {
                    try await database.count([network, account], in: .acme, at: Self.noon)
                }
            }
            #expect(try world.counted("failed-proofs.account.%").reduce(0, +) == 0)
            #expect(try await Self.wait(database, account, in: .acme, at: Self.noon) == nil)
        }
    }

    @Test func `gives back what was counted, in its own window alone`() async throws {
        try await withConnectedDatabase { world in
            let database = world.database
            for limit in [RateLimit.failedProofs, .unauthenticatedWrites] {
                let use = RateLimit.Use(limit, by: .login("ada"))
                for _ in 0..<3 * limit.count {
                    try await database.count([use], in: .acme, at: Self.noon)
                    try await database.release([use], in: .acme, at: Self.noon)
                }
                try await database.count(
                    [RateLimit.Use(limit, by: .login("ada"), limit.count)], in: .acme, at: Self.noon)
                try await database.release([.all(of: limit, by: .login("ada"))], in: .acme, at: Self.noon)
                #expect(try await Self.wait(database, use, in: .acme, at: Self.noon) == nil)

                let later = Self.noon + limit.window
                try await database.count([RateLimit.Use(limit, by: .login("ada"), limit.count)], in: .acme, at: later)
                try await database.release([use], in: .acme, at: later - .minutes(2))
                try await database.release([use], in: .acme, at: later + limit.window)
                #expect(try await Self.wait(database, use, in: .acme, at: later) != nil)
            }
        }
    }

    @Test func `V46: is over where a clock a day ahead opened its window, and goes on a second apart`() async throws {
        try await withConnectedDatabase { world in
            let (ahead, right) = (TeamDatabase(world.app), TeamDatabase(world.app))
            let use = RateLimit.Use(.failedProofs, by: .login("ada"))
            let all = RateLimit.Use(.failedProofs, by: .login("ada"), 10)
            try await ahead.count([all], in: .acme, at: Self.noon + .hours(24))
            #expect(try await Self.wait(right, use, in: .acme, at: Self.noon) == nil)
            try await ahead.count(
                [RateLimit.Use(.failedProofs, by: .login("ada"), 9)], in: .acme, at: Self.noon + .seconds(1))
            #expect(try await Self.wait(right, use, in: .acme, at: Self.noon) != nil)
        }
    }

    @Test func `S18: of a network counts a customer's addresses as one`() {
        for (one, other, isSame) in [
            ("192.0.2.1", "::ffff:192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
            ("2001:db8:0:1200::1", "2001:db8:0:12ff:1:2:3:4", true),
            ("2001:db8:0:1200::1", "2001:db8:0:1300::1", false), ("no address", "no address", true),
        ] { #expect((LimitKey.network(one) == .network(other)) == isSame, "\(one) \(other)") }
    }

    @Test func `S18: keeps no long text of a stranger as its key, and confuses no two`() {
        let long = String(repeating: "x", count: 100_000)
        let kinds: [(String) -> LimitKey] = [
            { .login($0) }, { .login("ada", knownBrowser: $0) }, { .recipient($0, for: .request, by: .team) },
            { .host($0) }, { .recipient("ada", for: .request, by: .login($0)) }, { .session($0) }, { .cause($0) },
            { .network($0) },
        ]
        for kind in kinds { #expect("\(kind(long))".utf8.count < 256) }
        #expect(LimitKey.login(long) != .login(long + "x") && LimitKey.login(long) == .login(long))
    }

    @Test func `takes another number where the operator says so`() async throws {
        try await withConnectedDatabase { world in
            let database = TeamDatabase(world.app, limits: LimitCounts(adjusted: ["mail-by-sender": 2]))
            let use = RateLimit.Use(.mailBySender, by: .network("192.0.2.1"))
            for _ in 0..<2 { try await database.count([use], in: .acme, at: Self.noon) }
            #expect(try await Self.wait(database, use, in: .acme, at: Self.noon) == .hours(1))
            #expect(database.limits.refusals == ["mail-by-sender": 1])
        }
    }

    @Test func `V43: of one process alone needs no database`() {
        let counts = LimitCounts()
        let (one, other) = (
            RateLimit.Use(.traceEventsOfCause, by: .cause("one")), RateLimit.Use(.traceEvents, by: .team)
        )
        let kept = (0..<100).count { _ in counts.isWithin([one, other], in: .acme, at: Self.noon) }
        #expect(kept == RateLimit.traceEventsOfCause.count)
        // What one cause is refused takes nothing of the team's.
        let rest = (0..<7000).count { _ in counts.isWithin([other], in: .acme, at: Self.noon) }
        #expect(kept + rest == RateLimit.traceEvents.count)
        #expect(counts.isWithin([one, other], in: .acme, at: Self.noon + .minutes(1)))
    }
}
