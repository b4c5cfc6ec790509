import EventLoop
import Postgres
import TestDatabase
import TestSupport
import Testing

/// Each ends when the test says so, however slow the machine is.
@Suite struct `Statements that take long` {
    @Test func `a lost server fails what is under way and is found again`() async throws {
        let conninfo = try TestDatabase.empty()
        let held = try HeldStatement(at: conninfo)
        let (lost, answer) = try await withPool(conninfo, { $0.shared = 2 }) { database, loop in
            async let slow = database.query(HeldStatement.text)
            try await held.isUnderWay(on: loop)
            try held.kill()
            var lost = false
            do { _ = try await slow } catch { lost = (error as? PostgresFailure)?.isTemporary ?? false }
            let rows = try await database.query("SELECT \(7)")
            var row = try #require(rows.first)
            return (lost, try row.next(Int.self))
        }

        #expect(lost)
        #expect(answer == 7)
    }

    @Test func `a server that is held up does not answer in time, and does afterwards`() async throws {
        let conninfo = try TestDatabase.empty()
        let held = try HeldStatement(at: conninfo)
        let answers = try await withPool(conninfo, { $0.shared = 1 }) { database, loop in
            let before = await database.answers(within: .testTimeout)
            async let slow = database.query(HeldStatement.text)
            try await held.isUnderWay(on: loop)
            let meanwhile = await database.answers(within: .milliseconds(100))
            try held.end()
            _ = try await slow
            return [before, meanwhile, await database.answers(within: .testTimeout)]
        }

        #expect(answers == [true, false, true])
    }

    @Test func `a queue of ours that is full tells nothing, what the server finishes does`() async throws {
        let conninfo = try TestDatabase.empty()
        let held = try HeldStatement(at: conninfo)
        let answers = try await withPool(conninfo, { ($0.shared, $0.depth, $0.queue) = (1, 1, 1) }) { database, loop in
            /// Asks while the server is held up, and again while it finishes.
            func ask(within limit: Duration) async throws -> [Bool] {
                async let slow = database.query(HeldStatement.text)
                try await held.isUnderWay(on: loop)
                let before = database.statementCount
                async let next = database.query("SELECT 1")
                while database.statementCount == before { await Task.yield() }
                let silent = await database.answers(within: .milliseconds(100))
                let asked = Count()
                let busy = Task(executorPreference: loop) {
                    asked.increment()
                    return await database.answers(within: limit)
                }
                // On this loop, where it waits from then on.
                while asked.value == 0 { await Task.yield() }
                try held.end()
                _ = try await (slow, next)
                try held.holdAgain()
                return [silent, await busy.value]
            }
            // It tells at the end of its time, in which the server has to finish: more of it for a slow machine.
            var answers: [Bool] = []
            for limit in [Duration.milliseconds(200), .seconds(10), .testTimeout] where answers != [false, true] {
                answers = try await ask(within: limit)
            }
            return answers
        }

        #expect(answers == [false, true])
    }
}
