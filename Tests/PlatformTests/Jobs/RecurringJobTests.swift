import Core
import Platform
import Postgres
import TestSupport
import Testing

@Suite struct `A recurring job` {
    private struct Trouble: Error {}

    private func worker(
        _ environment: JobEnvironment, _ options: JobWorker.Options = .quick,
        _ perform: @escaping @Sendable () async throws -> Void
    ) -> JobWorker {
        environment.worker(options) { handlers in
            handlers.recurring("test.hourly", every: .seconds(3600), perform)
            handlers.register(UrgentGreeting.self) { _, _ in
                for await _ in AsyncStream<Void>.makeStream().stream {}
                return .succeeded()
            }
        }
    }

    private func job(_ environment: JobEnvironment) async throws -> RecurringJob? {
        try await RecurringJobStore(environment.database).list().first
    }

    /// Lets time pass once a run has ended that makes so many.
    private func finish(_ runs: Int, _ diary: Notes, in environment: JobEnvironment) async throws {
        try await waitUntil { try await job(environment)?.worker == nil && diary.all.count == runs }
        try environment.forward("1 hour")
    }

    @Test func `is run by one process at a time, and not as one of the queue`() async throws {
        try await withJobEnvironment { environment in
            let diary = Notes()
            let perform: @Sendable () async throws -> Void = {
                diary.note("began")
                try await waitUntil { diary.all.contains("looked") }
                diary.note("ended")
            }
            let (first, second) = (worker(environment, .quick, perform), worker(environment, .quick, perform))

            try await first.whileRunning(on: environment.loop) {
                try await second.whileRunning(on: environment.loop) {
                    try await waitUntil { diary.all == ["began"] }
                    // The one that does not run it looks again and again.
                    let looks = environment.system.statementCount + 8
                    try await waitUntil { environment.system.statementCount >= looks }
                    diary.note("looked")
                    try await waitUntil { try await job(environment)?.ranAt != nil }
                }
            }

            #expect(diary.all == ["began", "looked", "ended"])
            let last = try #require(try await job(environment))
            #expect(last.kind == "test.hourly" && last.interval == .seconds(3600))
            #expect(last.problem == nil && last.worker == nil)
            #expect(first.counts.succeeded + second.counts.succeeded == 0)
            #expect(try await JobListStore(environment.systemDatabase).statistics().isEmpty)
            #expect(try await JobListStore(environment.systemDatabase).page(.init(), limit: 9).total == 1)
        }
    }

    @Test func `runs again an interval after its last start, whatever holds the places`() async throws {
        try await withJobEnvironment { environment in
            let diary = Notes()
            var options = JobWorker.Options.quick
            options.concurrency = 1
            try await environment.queue().enqueue(NewJob(UrgentGreeting(name: "Ada")), in: .acme)

            let worker = worker(environment, options) { diary.note("ran") }
            let running = Task(executorPreference: environment.loop) { await worker.run() }
            for runs in 1...3 { try await finish(runs, diary, in: environment) }
            try await waitUntil { try await job(environment)?.worker == nil && diary.all.count == 4 }

            let seconds = """
                SELECT round(extract(epoch FROM due_at - ran_at) + ran_milliseconds / 1000.0)::text, attempts::text
                FROM jobs WHERE kind = 'test.hourly'
                """
            #expect(try environment.admin(seconds) == [["3600", "0"]])
            await worker.stop(within: .zero)
            await running.value
        }
    }

    @Test func `is taken over from a process that died, and gets a shorter interval at once`() async throws {
        try await withJobEnvironment { environment in
            let diary = Notes()
            try environment.admin(
                """
                INSERT INTO jobs (
                    team_id, job_id, kind, priority, payload, idempotency_key, every_seconds, worker, attempts, due_at
                ) VALUES (
                    'PIPPIN0000', repeat('a', 26), 'test.hourly', 2, '{}', 'test.hourly', 86400, 'dead', 30,
                    now() + interval '1 day'
                )
                """)

            try await worker(environment) { diary.note("done") }.whileRunning(on: environment.loop) {
                try await waitUntil { try await job(environment)?.interval == .seconds(3600) }
                try environment.forward("1 hour")
                // Each of thirty attempts killed its process; the next waits for its time.
                try await waitUntil { try await job(environment)?.problem == "no attempt came to its end" }
                #expect(diary.all.isEmpty)
                try environment.forward("1 hour")
                try await waitUntil { diary.all == ["done"] }
            }
        }
    }

    @Test func `says why it failed, runs again, and cannot be cancelled`() async throws {
        try await withJobEnvironment { environment in
            let diary = Notes()
            let worker = worker(environment) {
                diary.note("tried")
                if diary.all.count < 2 { throw Trouble() }
            }
            let store = JobStore(environment.database)

            try await worker.whileRunning(on: environment.loop) {
                try await waitUntil { try await job(environment)?.problem == "trouble" }
                let id = try #require(
                    try environment.admin("SELECT job_id FROM jobs")[0][0].flatMap(JobID.init(rawValue:)))
                #expect(try await !store.cancel(id, in: .system, because: "", by: .system("test"), from: .local))
                #expect(try await store.retry(id, in: .system, by: .system("test"), from: .local), "it runs now")
                try await waitUntil { try await job(environment)?.problem == nil }
            }

            #expect(diary.all == ["tried", "tried"])
        }
    }
}
