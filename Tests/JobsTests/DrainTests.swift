import Bytes
import Domain
import EventLoop
import Jobs
import Postgres
import Synchronization
import TestDatabase
import Testing

/// One of 10,000, tried again at once.
struct Coin: JobKind {
    static let kind = "test.coin"
    static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.attempts = 100
        policy.firstDelay = .milliseconds(1)
        policy.longestDelay = .milliseconds(10)
        return policy
    }

    let number: Int
}

@Suite struct `10,000 jobs over two processes` {
    private static let count = 10_000

    /// Half of the attempts fail, before or after the effect.
    private static func register(_ handlers: inout JobHandlers, in environment: TestEnvironment) {
        handlers.register(Coin.self) { coin, run in
            try await environment.database.transaction(in: run.team) { transaction in
                try await transaction.query("INSERT INTO effects (number, job) VALUES (\(coin.number), \(run.id))")
                if Bool.random() { throw TroubleAhead() }
                return try await run.succeed(["number": .integer(Int64(coin.number))], transaction)
            }
        }
    }

    private struct TroubleAhead: Error {}

    @Test func `of which one dies, while half of the attempts fail, end with one receipt each`() async throws {
        try await withEnvironment { environment in
            try environment.admin("CREATE TABLE effects (number bigint, job text)")
            try environment.admin("GRANT INSERT ON effects TO pippin_app")
            try fill(environment)
            var options = JobWorker.Options.quick
            // What the dead one held is free again after this.
            options.lease = .seconds(5)
            let survivor = environment.worker(options) { Self.register(&$0, in: environment) }
            try await survivor.whileRunning(on: environment.loop) {
                try await runAndKill(options, environment)
                try await environment.loop.wait(within: .seconds(300)) {
                    try environment.admin("SELECT count(*)::text FROM jobs WHERE state = 'pending'") == [["0"]]
                }
            }

            try expectOneReceiptEach(environment)
        }
    }

    private func fill(_ environment: TestEnvironment) throws {
        try environment.admin(
            """
            INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
            SELECT CASE n % 2 WHEN 0 THEN 'ACMETEAM01' ELSE 'RIVALTEAM1' END,
                translate(lpad(n::text, 26, '0'), '0189', 'abcd'), 'test.coin', 1,
                jsonb_build_object('number', n), now()
            FROM generate_series(1, \(Self.count)) AS n
            """)
    }

    /// A second process that vanishes in the middle: its connections break, and it says nothing any more.
    private func runAndKill(_ options: JobWorker.Options, _ environment: TestEnvironment) async throws {
        try await onLoop(of: environment.conninfo) { other in
            let worker = other.worker(options) { Self.register(&$0, in: other) }
            let running = Task(executorPreference: other.loop) { await worker.run() }
            try await other.loop.wait {
                let done = try other.admin("SELECT count(*)::text FROM jobs WHERE state = 'succeeded'")
                return (Int(done[0][0] ?? "") ?? 0) > Self.count / 5
            }
            #expect(worker.counts.succeeded > 0)
            other.app.close()
            other.system.close()
            await worker.stop(within: .zero)
            await running.value
        }
        let left = try environment.admin("SELECT count(DISTINCT worker)::text FROM jobs WHERE state = 'pending'")
        #expect(left == [["2"]], "it died holding jobs")
    }

    private func expectOneReceiptEach(_ environment: TestEnvironment) throws {
        let states = try environment.admin("SELECT state, count(*)::text FROM jobs GROUP BY 1")
        #expect(states == [["succeeded", "\(Self.count)"]])
        let receipts = try environment.admin("SELECT count(DISTINCT result->>'number')::text FROM jobs")
        #expect(receipts == [["\(Self.count)"]])
        let effects = try environment.admin("SELECT count(*)::text, count(DISTINCT number)::text FROM effects")
        #expect(effects == [["\(Self.count)", "\(Self.count)"]])
        let retried = try environment.admin("SELECT (sum(attempts) > \(Self.count * 3 / 2))::text FROM jobs")
        #expect(retried == [["true"]])
    }
}
