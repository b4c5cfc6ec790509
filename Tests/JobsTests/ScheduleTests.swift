import Crypto
import Domain
import EventLoop
import Jobs
import Postgres
import TestDatabase
import Testing

@Suite struct `A schedule` {
    struct Trouble: Error {}

    private func keeper(_ environment: TestEnvironment, _ schedule: Schedule) -> ScheduleKeeper {
        ScheduleKeeper(
            on: environment.loop, environment.systemDatabase, [schedule], worker: WorkerID(random: .system),
            log: .silent)
    }

    private func run(_ keepers: [ScheduleKeeper], in environment: TestEnvironment, _ body: () async throws -> Void)
        async throws
    {
        let tasks = keepers.map { keeper in Task(executorPreference: environment.loop) { await keeper.run() } }
        try await body()
        for keeper in keepers { await keeper.stop(within: .seconds(10)) }
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
                await environment.loop.sleep(for: .milliseconds(2500))
                diary.note("ended")
            }

            try await run([keeper(environment, schedule), keeper(environment, schedule)], in: environment) {
                try await environment.loop.wait { diary.all.contains("ended") }
                await environment.loop.sleep(for: .milliseconds(1500))
            }

            #expect(diary.all == ["began", "ended"])
            let last = try #require(try await status(environment))
            #expect(last.runs == 1)
            #expect(last.problem == nil)
            #expect(last.worker == nil)
        }
    }

    @Test func `is done again after its interval`() async throws {
        try await withEnvironment { environment in
            let diary = Diary()
            let schedule = Schedule("test.secondly", every: .seconds(1)) { diary.note("done") }

            try await run([keeper(environment, schedule)], in: environment) {
                try await environment.loop.wait { diary.all.count >= 3 }
            }
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
                try await environment.loop.wait { diary.all == ["done"] }
            }
        }
    }

    @Test func `says why it failed, and is tried again`() async throws {
        try await withEnvironment { environment in
            let diary = Diary()
            let schedule = Schedule("test.secondly", every: .seconds(1)) {
                diary.note("tried")
                if diary.all.count < 2 { throw Trouble() }
            }

            try await run([keeper(environment, schedule)], in: environment) {
                try await environment.loop.wait { try await status(environment)?.problem == "Trouble()" }
                try await environment.loop.wait { try await status(environment)?.runs == 2 }
            }

            let last = try #require(try await status(environment))
            #expect(last.problem == nil)
        }
    }
}
