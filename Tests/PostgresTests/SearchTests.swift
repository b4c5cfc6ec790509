import EventLoop
import Postgres
import TestDatabase
import Testing

/// Statements that read as much as there is of what somebody looks for.
@Suite(.timeLimit(.minutes(30))) struct `Searches` {
    private static let acme = Setting("SELECT set_config('pippin.team', \("ACMETEAM01"), true)")
    private static let rival = Setting("SELECT set_config('pippin.team', \("RIVALTEAM1"), true)")

    private static func word(_ rows: Rows) throws -> String {
        var row = try #require(rows.first)
        return try row.next()
    }

    @Test func `V43: keep no statement waiting, and none of another team's searches`() async throws {
        let conninfo = try TestDatabase.empty()
        let words = try await withPool(conninfo, { $0.shared = 1 }) { database, loop in
            let holder = try AdminConnection(to: conninfo)
            try holder.execute("SELECT pg_advisory_lock(1)")
            // As many as would fill a shared connection, and the queue of its statements.
            let slow = (0..<40).map { _ in
                Task(executorPreference: loop) {
                    try Self.word(
                        await database.search("SELECT 'late' FROM pg_advisory_xact_lock_shared(1)", setting: Self.acme))
                }
            }
            while database.statementCount < slow.count { await Task.yield() }
            var words = [
                try Self.word(try await database.query("SELECT 'statement'", setting: Self.acme)),
                try Self.word(try await database.search("SELECT 'search'", setting: Self.rival)),
            ]
            try holder.execute("SELECT pg_advisory_unlock(1)")
            for task in slow { words.append(try await task.value) }
            return words
        }

        #expect(words == ["statement", "search"] + Array(repeating: "late", count: 40))
    }

    @Test func `V43: wait in a short line, and the last of the team that fills it gives way to another's`() async throws
    {
        let conninfo = try TestDatabase.empty()
        let (word, refused) = try await withPool(conninfo) { database, loop in
            let holder = try AdminConnection(to: conninfo)
            try holder.execute("SELECT pg_advisory_lock(1); SELECT pg_advisory_lock(2)")
            let flood = (0..<200).map { _ in
                Task(executorPreference: loop) { () async -> Bool in
                    do throws(PostgresFailure) {
                        _ = try await database.search(
                            "SELECT 'late' FROM pg_advisory_xact_lock_shared(1)", setting: Self.acme)
                        return false
                    } catch { return error == .overloaded }
                }
            }
            while database.statementCount < flood.count { await Task.yield() }
            // The first has Rival's connection, so that the second has to wait behind the flood.
            let questions: [SQL] = ["SELECT 'first' FROM pg_advisory_xact_lock_shared(2)", "SELECT 'second'"]
            let rivals = questions.map { sql in
                Task(executorPreference: loop) { try Self.word(await database.search(sql, setting: Self.rival)) }
            }
            while database.statementCount < flood.count + rivals.count { await Task.yield() }
            try holder.execute("SELECT pg_advisory_unlock(2)")
            let word = try await rivals[1].value
            try holder.execute("SELECT pg_advisory_unlock(1)")
            _ = try await rivals[0].value
            var refused = 0
            for task in flood where await task.value { refused += 1 }
            return (word, refused)
        }

        #expect(word == "second")
        // One ran, 64 waited, and one of these gave way.
        #expect(refused == 200 - 65 + 1)
    }

    @Test func `V43: end as such when they take longer than one may, and the next one has the connection`() async throws
    {
        let conninfo = try TestDatabase.empty()
        let held = try HeldStatement(at: conninfo)
        let (limit, failure, word) = try await withPool(
            conninfo, { ($0.searching, $0.searchTimeout) = (1, .seconds(1800)) }
        ) { database, loop in
            let limit = try Self.word(try await database.search("SHOW statement_timeout"))
            async let slow = database.search(HeldStatement.text)
            try await held.isUnderWay(on: loop)
            // As the limit does.
            try held.cancel()
            var failure: PostgresFailure?
            do { _ = try await slow } catch { failure = error as? PostgresFailure }
            return (limit, failure, try Self.word(try await database.search("SELECT 'next'")))
        }

        #expect(limit == "30min")
        #expect(failure == .searchTimedOut)
        #expect(failure?.isTemporary == false)
        #expect(word == "next")
    }
}
