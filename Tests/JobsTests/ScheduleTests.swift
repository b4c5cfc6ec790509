import Bytes
import Crypto
import Domain
import EventLoop
import Jobs
import Postgres
import TestSupport
import Testing

@Suite struct `A schedule` {
    struct Trouble: Error {}

    private func keeper(_ environment: TestEnvironment, _ schedule: Schedule) -> ScheduleKeeper {
        ScheduleKeeper(
            on: environment.loop, environment.systemDatabase, [schedule], worker: WorkerID(random: .system),
            pollInterval: .milliseconds(20), log: .silent)
    }

    /// Waits for the end of the run that makes so many, and lets the time pass to the next, unless it is later than an hour.
    private func finish(_ runs: Int, in environment: TestEnvironment) async throws {
        try await waitUntil { try await status(environment)?.runs == runs }
        try environment.admin("UPDATE schedules SET due_at = due_at - interval '1 hour'")
    }

    private func run(_ keepers: [ScheduleKeeper], in environment: TestEnvironment, _ body: () async throws -> Void)
        async throws
    {
        let tasks = keepers.map { keeper in Task(executorPreference: environment.loop) { await keeper.run() } }
        try await body()
        for keeper in keepers { await keeper.stop(within: .testTimeout) }
        for task in tasks { await task.value }
    }

    private func status(_ environment: TestEnvironment) async throws -> ScheduleStatus? {
        try await ScheduleStore(environment.systemDatabase).list().first
    }

    @Test func `is kept by one process at a time`() async throws {
        try await withEnvironment { environment in
            let diary = Diary()
            let schedule = Schedule("test.hourly", every: .seconds(3600)) {
                diary.note("began")
                try await waitUntil { diary.all.contains("looked") }
                diary.note("ended")
            }

            try await run([keeper(environment, schedule), keeper(environment, schedule)], in: environment) {
                try await waitUntil { diary.all == ["began"] }
                // Both declare it and look for it; then the one that does not keep it looks again and again.
                let looks = environment.system.statementCount + 8
                try await waitUntil { environment.system.statementCount >= looks }
                diary.note("looked")
                try await waitUntil { try await status(environment)?.runs == 1 }
            }

            #expect(diary.all == ["began", "looked", "ended"])
            let last = try #require(try await status(environment))
            #expect(last.runs == 1)
            #expect(last.problem == nil)
            #expect(last.worker == nil)
        }
    }

    @Test func `is done again after its interval`() async throws {
        try await withEnvironment { environment in
            let schedule = Schedule("test.hourly", every: .seconds(3600)) {}

            try await run([keeper(environment, schedule)], in: environment) {
                for runs in 1...3 { try await finish(runs, in: environment) }
                try await waitUntil { try await status(environment)?.runs == 4 }
            }

            let last = try #require(try await status(environment))
            #expect(last.dueAt == last.startedAt.map { $0 + .seconds(3600) })
        }
    }

    @Test func `is taken over from a process that died`() async throws {
        try await withEnvironment { environment in
            let diary = Diary()
            try environment.admin(
                """
                INSERT INTO schedules (name, every_seconds, worker, due_at)
                VALUES ('test.hourly', 3600, 'dead', now() - interval '1 second')
                """)
            let schedule = Schedule("test.hourly", every: .seconds(3600)) { diary.note("done") }

            try await run([keeper(environment, schedule)], in: environment) {
                try await waitUntil { diary.all == ["done"] }
            }
        }
    }

    @Test func `says why it failed, and is tried again`() async throws {
        try await withEnvironment { environment in
            let diary = Diary()
            let schedule = Schedule("test.hourly", every: .seconds(3600)) {
                diary.note("tried")
                if diary.all.count < 2 { throw Trouble() }
            }

            try await run([keeper(environment, schedule)], in: environment) {
                try await waitUntil { try await status(environment)?.problem == "Trouble()" }
                try await finish(1, in: environment)
                try await waitUntil { try await status(environment)?.runs == 2 }
            }

            let last = try #require(try await status(environment))
            #expect(last.problem == nil)
        }
    }
}
