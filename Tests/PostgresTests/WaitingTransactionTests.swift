import EventLoop
import Postgres
import TestDatabase
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Transactions that wait` {
    private static let acme = Setting("SELECT set_config('pippin.team', \("ACMETEAM01"), true)")
    private static let rival = Setting("SELECT set_config('pippin.team', \("RIVALTEAM1"), true)")

    @Test func `a lost connection does not strand those who wait for it`() async throws {
        let conninfo = try TestDatabase.empty()
        let (lost, answered) = try await withPool(conninfo, { $0.exclusive = 2 }) { database, loop in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<2 {
                    group.addTask(executorPreference: loop) {
                        do {
                            try await database.transaction { transaction in
                                _ = try await transaction.query("SELECT pg_terminate_backend(pg_backend_pid())")
                            }
                            return true
                        } catch { return false }
                    }
                }
                for _ in 0..<6 {
                    group.addTask(executorPreference: loop) {
                        _ = try await database.transaction { try await $0.query("SELECT 1") }
                        return true
                    }
                }
                var (lost, answered) = (0, 0)
                for try await isAnswered in group { if isAnswered { answered += 1 } else { lost += 1 } }
                return (lost, answered)
            }
        }

        #expect(lost == 2)
        #expect(answered == 6)
    }

    @Test func `an unreachable server fails those who wait, too`() async throws {
        let failed = try await withPool("host=/nonexistent port=1", { $0.exclusive = 1 }) { database, loop in
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<5 {
                    group.addTask(executorPreference: loop) {
                        do {
                            _ = try await database.transaction { try await $0.query("SELECT 1") }
                            return false
                        } catch { return (error as? PostgresFailure)?.isTemporary ?? false }
                    }
                }
                var failed = 0
                for await isFailed in group where isFailed { failed += 1 }
                return failed
            }
        }

        #expect(failed == 5)
    }

    @Test func `V43: those of one team that wait are less than half of what a loop has wait`() async throws {
        let conninfo = try TestDatabase.empty()
        let (word, refused) = try await withPool(conninfo) { database, loop in
            let holder = try AdminConnection(to: conninfo)
            try holder.execute("SELECT pg_advisory_lock(1)")
            let flood = (0..<1024).map { _ in
                Task(executorPreference: loop) { () async -> Bool in
                    do {
                        try await database.transaction(setting: Self.acme) { transaction in
                            _ = try await transaction.query("SELECT FROM pg_advisory_xact_lock_shared(1)")
                        }
                        return false
                    } catch { return error as? PostgresFailure == .overloaded }
                }
            }
            while database.statementCount < flood.count { await Task.yield() }
            // No team has the last connection.
            let word = try await database.transaction(setting: Self.rival) { transaction in
                let rows = try await transaction.query("SELECT 'rival'")
                var row = try #require(rows.first)
                return try row.next(String.self)
            }
            try holder.execute("SELECT pg_advisory_unlock(1)")
            var refused = 0
            for task in flood where await task.value { refused += 1 }
            return (word, refused)
        }

        #expect(word == "rival")
        // Three ran and 512 waited.
        #expect(refused == 1024 - 515)
    }

    @Test func `a transaction waits no longer than the timeout`() async throws {
        let conninfo = try TestDatabase.empty()
        let failure = try await withPool(conninfo, { $0.exclusive = 1 }) { database, loop in
            let (begun, begins) = AsyncStream<Void>.makeStream()
            let (end, ends) = AsyncStream<Void>.makeStream()
            async let slow: Void = database.transaction { _ in
                begins.finish()
                for await _ in end {}
            }
            for await _ in begun {}
            let late = Task(executorPreference: loop) { () async -> PostgresFailure? in
                do { _ = try await database.transaction { try await $0.query("SELECT 1") } } catch {
                    return error as? PostgresFailure
                }
                return nil
            }
            while database.statementCount < 2 { await Task.yield() }
            database.passAllTime()
            let failure = await late.value
            ends.finish()
            try await slow
            return failure
        }

        #expect(failure == .timedOut)
    }
}
