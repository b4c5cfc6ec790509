import Core
import EventLoop
import Platform
import Postgres
import Synchronization
import TestSupport
import Testing

/// One of many, tried again at once.
private struct Coin: JobKind {
    static let kind = "test.coin"
    static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.attempts = 100
        policy.firstDelay = .milliseconds(1)
        policy.longestDelay = .milliseconds(10)
        return policy
    }

    let number: Int

    /// Half of the attempts fail, the same ones in every run.
    func fails(at attempt: Int) -> Bool {
        var bits = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(attempt) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 30)) &* 0x94D0_49BB_1331_11EB
        return (bits ^ (bits >> 31)) & 1 == 1
    }
}

@Suite struct `Jobs over two processes` {
    @Test func `of which one dies, while half of the attempts fail, end with one receipt each`() async throws {
        try await Drain(count: 400).run()
    }
}

@Suite("10,000 jobs over two processes") struct DrainLongTests {
    @Test func `of which one dies, while half of the attempts fail, end with one receipt each`() async throws {
        try await Drain(count: 10_000).run()
    }
}

/// So many jobs over two processes, of which one dies while it holds some.
private final class Drain: Sendable {
    private struct TroubleAhead: Error {}

    private let count: Int
    /// Attempts that the process has begun that dies.
    private let begun = Atomic(0)
    /// Those of them that never end.
    private let held = Atomic(0)

    init(count: Int) { self.count = count }

    func run() async throws {
        try await withJobEnvironment { environment in
            try environment.admin("CREATE TABLE effects (number bigint, job text)")
            try environment.admin("GRANT INSERT ON effects TO pippin_app")
            try self.fill(environment)
            var options = JobWorker.Options.quick
            options.lease = .seconds(3600)
            let survivor = environment.worker(options) { handlers in
                handlers.register(Coin.self) { coin, run in
                    // The other one has its share first.
                    try await waitUntil { self.held.load(ordering: .acquiring) > 0 }
                    return try await self.toss(coin, run, environment)
                }
            }
            try await survivor.whileRunning(on: environment.loop) {
                try await self.runAndKill(options, environment)
                try await waitUntil {
                    try environment.admin("SELECT count(*)::text FROM jobs WHERE state = 'pending'") == [["0"]]
                }
            }

            try self.expectOneReceiptEach(environment)
        }
    }

    /// Fails before or after the effect, or ends with it.
    private func toss(_ coin: Coin, _ run: JobRun, _ environment: JobEnvironment) async throws -> JobOutcome {
        try await environment.database.transaction(in: run.team) { transaction in
            try await transaction.query("INSERT INTO effects (number, job) VALUES (\(coin.number), \(run.id))")
            if coin.fails(at: run.claim.attempt) { throw TroubleAhead() }
            return try await run.succeed(["number": .integer(Int64(coin.number))], transaction)
        }
    }

    private func fill(_ environment: JobEnvironment) throws {
        try environment.admin(
            """
            INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
            SELECT CASE n % 2 WHEN 0 THEN 'ACMETEAM01' ELSE 'RIVALTEAM1' END,
                translate(lpad(n::text, 26, '0'), '0189', 'abcd'), 'test.coin', 1,
                jsonb_build_object('number', n), now()
            FROM generate_series(1, \(count)) AS n
            """)
    }

    /// A second process that vanishes in the middle: its connections break, and it says nothing any more.
    private func runAndKill(_ options: JobWorker.Options, _ environment: JobEnvironment) async throws {
        let conninfo = environment.conninfo
        let dead = Mutex<WorkerID?>(nil)
        try await onLoop(of: conninfo) { other in
            let worker = other.worker(options) { handlers in
                handlers.register(Coin.self) { coin, run in
                    if self.begun.add(1, ordering: .relaxed).newValue > self.count / 5 {
                        self.held.add(1, ordering: .releasing)
                        let (never, end) = AsyncStream<Void>.makeStream()
                        for await _ in never {}
                        withExtendedLifetime(end) {}
                    }
                    return try await self.toss(coin, run, other)
                }
            }
            dead.withLock { $0 = worker.id }
            let running = Task(executorPreference: other.loop) { await worker.run() }
            try await waitUntil {
                // More than it can have done itself: the survivor has begun, which it does when this one holds some.
                let done = try other.admin("SELECT count(*)::text FROM jobs WHERE state = 'succeeded'")[0][0]
                return try #require(done.flatMap { Int($0) }) > self.count / 5 && worker.counts.succeeded > 0
            }
            #expect(self.held.load(ordering: .acquiring) > 0)
            other.app.close()
            other.system.close()
            await worker.stop(within: .zero)
            await running.value
        }
        // Its leases end.
        let left = try environment.admin(
            "UPDATE jobs SET due_at = now() WHERE state = 'pending' AND worker = $1 RETURNING job_id",
            dead.withLock { $0?.rawValue })
        #expect(!left.isEmpty, "it died holding jobs")
    }

    private func expectOneReceiptEach(_ environment: JobEnvironment) throws {
        let states = try environment.admin("SELECT state, count(*)::text FROM jobs GROUP BY 1")
        #expect(states == [["succeeded", "\(count)"]])
        let receipts = try environment.admin("SELECT count(DISTINCT result->>'number')::text FROM jobs")
        #expect(receipts == [["\(count)"]])
        let effects = try environment.admin("SELECT count(*)::text, count(DISTINCT number)::text FROM effects")
        #expect(effects == [["\(count)", "\(count)"]])
        let retried = try environment.admin("SELECT (sum(attempts) > \(count * 3 / 2))::text FROM jobs")
        #expect(retried == [["true"]])
    }
}
