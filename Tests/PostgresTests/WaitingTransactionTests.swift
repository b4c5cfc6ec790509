import EventLoop
import Postgres
import TestDatabase
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Transactions that wait` {
    @Test func `a lost connection does not strand those who wait for it`() async throws {
        let conninfo = try TestDatabase.empty()
        let (lost, answered) = try await withPool(conninfo, { $0.exclusive = 2 }) { database, loop in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<2 {
                    group.addTask(executorPreference: loop) {
                        do {
                            try await database.transaction { transaction in
                                _ = try await transaction.query(
                                    "SELECT pg_terminate_backend(pg_backend_pid())"
                                )
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

    @Test func `a transaction waits no longer than the patience`() async throws {
        let conninfo = try TestDatabase.empty()
        let failure = try await withPool(conninfo, { ($0.exclusive, $0.patience) = (1, .milliseconds(600)) })
        {
            database,
            loop in
            let (end, ends) = AsyncStream<Void>.makeStream()
            async let slow: Void = database.transaction { _ in for await _ in end {} }
            await loop.sleep(for: .milliseconds(50))
            var failure: PostgresFailure?
            do {
                _ = try await database.transaction { try await $0.query("SELECT 1") }
            } catch { failure = error as? PostgresFailure }
            ends.finish()
            _ = try? await slow
            return failure
        }

        #expect(failure == .timedOut)
    }
}
