import EventLoop
import Postgres
import TestDatabase
import TestSupport
import Testing

/// Each ends when the test says so, however slow the machine is.
@Suite struct `Statements that take long` {
    @Test func `a lost server fails what is under way and is found again`() async throws {
        try await withPool({ $0.shared = 2 }) { database, _, conninfo in
            let held = try HeldStatement(at: conninfo)
            async let slow = failure { try await database.query(HeldStatement.text) }
            try await held.isUnderWay()
            try held.kill()
            #expect(await slow?.isTemporary == true)
            #expect(try await database.query("SELECT \(7)").value() == 7)
        }
    }
}

@Suite struct `Transactions that wait` {
    @Test func `a lost connection does not strand those who wait for it`() async throws {
        try await withPool({ $0.exclusive = 2 }) { database, _, _ in
            let failures = try await race(8) { number in
                let statement: SQL = number < 2 ? "SELECT pg_terminate_backend(pg_backend_pid())" : "SELECT 1"
                return await failure { try await database.transaction { _ = try await $0.query(statement) } }
            }
            #expect(failures.count { $0 != nil } == 2)
        }
    }

    @Test func `an unreachable server fails those who wait, too`() async throws {
        try await withPool("host=/nonexistent port=1", { $0.exclusive = 1 }) { database, _ in
            let failures = try await race(5) { _ in
                await failure { try await database.transaction { _ = try await $0.query("SELECT 1") } }
            }
            #expect(failures.allSatisfy { $0?.isTemporary == true })
        }
    }

    @Test func `V43: those of one team that wait are less than half of what a loop has wait`() async throws {
        try await withPool { database, loop, conninfo in
            let holder = try AdminConnection(to: conninfo)
            try holder.execute("SELECT pg_advisory_lock(1)")
            let flood = (0..<1024).map { _ in
                Task(executorPreference: loop) {
                    await failure {
                        try await database.transaction(setting: .acme) { transaction in
                            _ = try await transaction.query("SELECT FROM pg_advisory_xact_lock_shared(1)")
                        }
                    } == .overloaded
                }
            }
            try await waitUntil { database.statementCount >= flood.count }
            // No team has the last connection.
            let word = try await database.transaction(setting: .rival) { transaction in
                try await transaction.query("SELECT 'rival'").value(String.self)
            }
            #expect(word == "rival")
            try holder.execute("SELECT pg_advisory_unlock(1)")
            var refused = 0
            for task in flood where await task.value { refused += 1 }
            // Three ran and 512 waited.
            #expect(refused == 1024 - 515)
        }
    }

    @Test func `a transaction waits no longer than the timeout`() async throws {
        try await withPool({ $0.exclusive = 1 }) { database, loop, _ in
            let (begun, begins) = AsyncStream<Void>.makeStream()
            let (end, ends) = AsyncStream<Void>.makeStream()
            async let slow: Void = database.transaction { _ in
                begins.finish()
                for await _ in end {}
            }
            for await _ in begun {}
            let late = Task(executorPreference: loop) {
                await failure { try await database.transaction { _ = try await $0.query("SELECT 1") } }
            }
            try await waitUntil { database.statementCount >= 2 }
            database.passAllTime()
            #expect(await late.value == .timedOut)
            ends.finish()
            try await slow
        }
    }
}
