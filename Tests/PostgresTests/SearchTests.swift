import EventLoop
import Postgres
import TestSupport
import Testing

/// Statements that read as much as there is of what somebody looks for.
@Suite struct `Searches` {
    private static let late: SQL = "SELECT 'late' FROM pg_advisory_xact_lock_shared(1)"

    @Test func `V43: keep no statement waiting, and none of another team's searches`() async throws {
        try await withPool({ $0.shared = 1 }) { database, loop, conninfo in
            let holder = try AdminConnection(to: conninfo)
            try holder.execute("SELECT pg_advisory_lock(1)")
            // As many as would fill a shared connection, and the queue of its statements.
            let slow = (0..<40).map { _ in
                Task(executorPreference: loop) {
                    try await database.search(Self.late, setting: .acme).value(String.self)
                }
            }
            try await waitUntil { database.statementCount >= slow.count }
            #expect(try await database.query("SELECT 'statement'", setting: .acme).value() == "statement")
            #expect(try await database.search("SELECT 'search'", setting: .rival).value() == "search")
            try holder.execute("SELECT pg_advisory_unlock(1)")
            for task in slow { #expect(try await task.value == "late") }
        }
    }

    @Test func `V43: wait in a short line, and the last of a team that fills it gives way to another's`() async throws {
        try await withPool { database, loop, conninfo in
            let holder = try AdminConnection(to: conninfo)
            try holder.execute("SELECT pg_advisory_lock(1); SELECT pg_advisory_lock(2)")
            let flood = (0..<200).map { _ in
                Task(executorPreference: loop) {
                    await failure { try await database.search(Self.late, setting: .acme) } == .overloaded
                }
            }
            try await waitUntil { database.statementCount >= flood.count }
            // The first has Rival's connection, so that the second has to wait behind the flood.
            let questions: [SQL] = ["SELECT 'first' FROM pg_advisory_xact_lock_shared(2)", "SELECT 'second'"]
            let rivals = questions.map { sql in
                Task(executorPreference: loop) { try await database.search(sql, setting: .rival).value(String.self) }
            }
            try await waitUntil { database.statementCount >= flood.count + rivals.count }
            try holder.execute("SELECT pg_advisory_unlock(2)")
            #expect(try await rivals[1].value == "second")
            try holder.execute("SELECT pg_advisory_unlock(1)")
            _ = try await rivals[0].value
            var refused = 0
            for task in flood where await task.value { refused += 1 }
            // One ran, 64 waited, and one of these gave way.
            #expect(refused == 200 - 65 + 1)
        }
    }

    @Test func `V43: end as such when they take longer than one may, and the next has the connection`() async throws {
        try await withPool({ ($0.searching, $0.searchTimeout) = (1, .seconds(1800)) }) { database, _, conninfo in
            let held = try HeldStatement(at: conninfo)
            #expect(try await database.search("SHOW statement_timeout").value() == "30min")
            async let slow = failure { try await database.search(HeldStatement.text) }
            try await held.isUnderWay()
            // As the limit does.
            try held.cancel()
            let refusal = await slow
            #expect(refusal == .searchTimedOut && refusal?.isTemporary == false)
            #expect(try await database.search("SELECT 'next'").value() == "next")
        }
    }
}
