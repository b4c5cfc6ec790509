import Core
import EventLoop
import Platform
import Postgres
import TestSupport
import Testing

@Suite struct `A job that fails` {
    struct Trouble: Error {}

    /// Runs one job through a worker until it is in `state`, jumping over the delays, and returns its problem and its
    /// attempts.
    private func fate(
        until state: String, in environment: JobEnvironment,
        _ perform: @escaping @Sendable (JobRun) async throws -> JobOutcome
    ) async throws -> [String?] {
        let job = try await environment.greet()
        try await environment.work(until: {
            try environment.admin("UPDATE jobs SET due_at = now() WHERE worker IS NULL AND state = 'pending'")
            return try environment.state(of: job) == state
        }) { _, run in try await perform(run) }
        return try environment.admin("SELECT problem, attempts::text FROM jobs")[0]
    }

    @Test func `is tried again until it succeeds, has used up its attempts, or can never work`() async throws {
        let fates: [(state: String, fate: [String?], perform: @Sendable (JobRun) async throws -> JobOutcome)] = [
            ("succeeded", [nil, "3"], { $0.claim.attempt < 3 ? .failed("not yet") : .succeeded() }),
            ("dead", ["trouble", "20"], { _ in throw Trouble() }),
            ("dead", ["no such person", "1"], { _ in .refused("no such person") }),
        ]
        for (state, expected, perform) in fates {
            try await withJobEnvironment { environment in
                let fate = try await fate(until: state, in: environment, perform)
                #expect(fate == expected)
            }
        }
    }

    @Test func `is put off without an attempt where its turn comes later`() async throws {
        try await withJobEnvironment { environment in
            let diary = Notes()
            let fate = try await fate(until: "succeeded", in: environment) { _ in
                diary.note("asked")
                return diary.all.count < 25 ? .postponed(.seconds(3600)) : .succeeded()
            }

            #expect(fate == [nil, "1"])
            #expect(diary.all.count == 25)
        }
    }

    @Test func `V44: leaves twenty lines for its kind and team, however many fail`() async throws {
        try await withJobEnvironment { environment in
            let lines = Notes()
            let log = Log(threshold: .info) { lines.note(line: $0) }
            for team in [TeamID.acme, TeamID.rival] { for _ in 0..<30 { try await environment.greet(in: team) } }
            let isOver = { try environment.admin("SELECT FROM jobs WHERE state <> 'dead'").isEmpty }
            try await environment.work(log: log, until: isOver) { _, _ in .refused("no such person") }

            let dead = lines.all.filter { $0.contains("job.dead") }
            for team in [TeamID.acme, TeamID.rival] { #expect(dead.count { $0.contains(team.rawValue) } == 20) }
        }
    }

    @Test func `waits a day for a newer release when this one cannot read it, or as long as that tries`() async throws {
        try await withJobEnvironment { environment in
            try environment.admin(
                """
                INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at, created_at, attempts)
                SELECT 'ACMETEAM01', rpad('job' || translate(hours::text, '0189', 'abcd'), 26, 'x'), 'test.greeting', 1, '{"nom": 1}', now(),
                    now() - hours * interval '1 hour', attempts
                FROM (VALUES (1, 0), (25, 0), (26, 7), (97, 7)) AS one (hours, attempts)
                """)
            let lines = Notes()
            let query = """
                SELECT rtrim(job_id, 'x'), state, attempts::text, (state = 'pending' AND due_at > now())::text,
                    coalesce(substr(problem, 1, 26), '-')
                FROM jobs ORDER BY created_at DESC
                """
            let isOver = { lines.all.count { $0.contains("job.unreadable") } == 4 }
            try await environment.work(log: Log(threshold: .warning) { lines.note(line: $0) }, until: isOver)

            let problem = "the payload cannot be read"
            #expect(
                try environment.admin(query).map { $0.map { $0 ?? "" } } == [
                    ["jobb", "pending", "0", "true", "-"], ["job25", "dead", "1", "false", problem],
                    ["job26", "pending", "7", "true", "-"], ["jobd7", "dead", "8", "false", problem],
                ])
        }
    }

    @Test func `waits as long as the other side asks`() async throws {
        try await withJobEnvironment { environment in
            try await environment.greet()
            try await environment.work(until: { try environment.jobProblems() == ["busy"] }) { _, _ in
                .retry(after: .seconds(7200), "busy")
            }

            let minutes = try environment.admin(
                "SELECT round(extract(epoch FROM due_at - now()) / 600)::text FROM jobs")
            #expect(minutes == [["12"]])
        }
    }

    @Test func `cannot be ended by a worker that has lost it`() async throws {
        try await withJobEnvironment { environment in
            let diary = Notes()
            let job = try await environment.greet()
            try await environment.work(until: { !diary.all.isEmpty }) { _, _ in
                // Another worker has it meanwhile.
                try environment.admin("UPDATE jobs SET worker = 'another'")
                diary.note("done")
                return .succeeded()
            }

            #expect(try environment.state(of: job) == "pending")
        }
    }

    @Test func `takes the effect of its handler along when it is no longer its own`() async throws {
        try await withJobEnvironment { environment in
            try environment.admin("CREATE TABLE effects (job text)")
            try environment.admin("GRANT INSERT ON effects TO pippin_app")
            let fate = try await fate(until: "succeeded", in: environment) { run in
                try await environment.database.transaction(in: run.team) { transaction in
                    try await transaction.query("INSERT INTO effects VALUES (\(run.id))")
                    if run.claim.attempt == 1 { try environment.admin("UPDATE jobs SET worker = NULL") }
                    return try await run.succeed(nil, transaction)
                }
            }

            #expect(fate[1] == "2")
            #expect(try environment.count("effects") == 1)
        }
    }

    @Test func `goes to another worker when its own dies, and only when its lease has ended`() async throws {
        try await withJobEnvironment { environment in
            let diary = Notes()
            let job = try await environment.greet()
            try environment.admin("UPDATE jobs SET worker = 'dead', attempts = 1, due_at = now() + interval '1 hour'")
            let worker = environment.worker { handlers in
                handlers.register(Greeting.self) { _, run in
                    diary.note("attempt \(run.claim.attempt)")
                    return .succeeded()
                }
            }
            try await worker.whileRunning(on: environment.loop) {
                // Some looks for both priorities.
                let looks = environment.system.statementCount + 6
                try await waitUntil { environment.system.statementCount >= looks }
                #expect(diary.all.isEmpty)
                try environment.forward("1 hour")
                try await waitUntil { try environment.state(of: job) == "succeeded" }
            }

            #expect(diary.all == ["attempt 2"])
        }
    }

    @Test func `is kept by a worker that takes longer than the lease`() async throws {
        try await withJobEnvironment { environment in
            let diary = Notes()
            try await environment.greet()
            var options = JobWorker.Options.quick
            (options.lease, options.renewalsPerLease) = (.seconds(3600), 360_000)
            let slow: (inout JobHandlers) -> Void = { handlers in
                handlers.register(Greeting.self) { _, _ in
                    diary.note("began")
                    try await waitUntil { diary.all.contains("renewed") }
                    return .succeeded()
                }
            }
            let (first, second) = (environment.worker(options, slow), environment.worker(options, slow))
            try await first.whileRunning(on: environment.loop) {
                try await second.whileRunning(on: environment.loop) {
                    try await waitUntil { diary.all == ["began"] }
                    // Each time it has less than half of its lease left, and gets all of it again.
                    for _ in 0..<3 {
                        try environment.forward("40 minutes")
                        try await waitUntil {
                            try environment.admin("SELECT FROM jobs WHERE due_at > now() + interval '50 minutes'").count
                                == 1
                        }
                    }
                    diary.note("renewed")
                    try await waitUntil { try environment.jobStates() == ["succeeded"] }
                }
            }

            #expect(diary.all == ["began", "renewed"])
        }
    }

    @Test func `is given back by a worker that stops, without a lost attempt`() async throws {
        try await withJobEnvironment { environment in
            let diary = Notes()
            let (late, end) = AsyncStream<Void>.makeStream()
            try await environment.greet()
            let worker = environment.worker { handlers in
                handlers.register(Greeting.self) { _, _ in
                    diary.note("began")
                    // A handler that minds no cancellation.
                    await Task.detached { for await _ in late {} }.value
                    diary.note("ended")
                    return .succeeded()
                }
            }
            let running = Task(executorPreference: environment.loop) { await worker.run() }
            try await waitUntil { !diary.all.isEmpty }
            await worker.stop(within: .milliseconds(10))
            await running.value

            let row = try environment.admin("SELECT state, worker, attempts::text, (due_at <= now())::text FROM jobs")
            #expect(row == [["pending", nil, "0", "true"]])
            // The handler's late word counts for nothing.
            end.finish()
            try await waitUntil { diary.all == ["began", "ended"] }
            // Answered behind whatever the attempt would have sent, on the same connection.
            let states: [String] = try await environment.database.query("SELECT state FROM jobs", in: .acme).column()
            #expect(states == ["pending"])
        }
    }
}
