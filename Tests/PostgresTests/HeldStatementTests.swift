import EventLoop
import Postgres
import TestDatabase
import Testing

/// Each ends when the test says so, however slow the machine is.
@Suite struct `Statements that take long` {
    @Test func `a lost server fails what is under way and is found again`() async throws {
        let conninfo = try TestDatabase.empty()
        let held = try HeldStatement(at: conninfo)
        let (lost, answer) = try await withPool(conninfo, { ($0.shared, $0.timeout) = (2, .seconds(600)) }) {
            database, loop in
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
        let answers = try await withPool(conninfo, { ($0.shared, $0.timeout) = (1, .seconds(600)) }) { database, loop in
            let before = await database.answers(within: .seconds(600))
            async let slow = database.query(HeldStatement.text)
            try await held.isUnderWay(on: loop)
            let meanwhile = await database.answers(within: .milliseconds(100))
            try held.end()
            _ = try await slow
            return [before, meanwhile, await database.answers(within: .seconds(600))]
        }

        #expect(answers == [true, false, true])
    }

    @Test func `a queue of ours that is full tells nothing, what the server finishes does`() async throws {
        let conninfo = try TestDatabase.empty()
        let held = try HeldStatement(at: conninfo)
        let answers = try await withPool(
            conninfo,
            {
                ($0.shared, $0.depth, $0.queue) = (1, 1, 1)
                $0.timeout = .seconds(600)
            }
        ) { database, loop in
            async let slow = database.query(HeldStatement.text)
            try await held.isUnderWay(on: loop)
            async let next = database.query("SELECT 1")
            // It is on this loop, and waits when this goes on.
            await loop.sleep(for: .milliseconds(50))
            let silent = await database.answers(within: .milliseconds(100))
            async let busy = database.answers(within: .seconds(60))
            await loop.sleep(for: .milliseconds(50))
            try held.end()
            _ = try await (slow, next)
            return [silent, await busy]
        }

        #expect(answers == [false, true])
    }
}

/// A statement that takes until the test lets it end: `text`, sent by a pool to the server at `conninfo`.
private struct HeldStatement {
    /// Looks for the sign again and again.
    static let text: SQL = """
        DO $$ BEGIN
            WHILE NOT EXISTS (SELECT FROM sign) LOOP PERFORM pg_sleep(0.02); END LOOP;
        END $$
        """

    private let conninfo: String

    init(at conninfo: String) throws {
        self.conninfo = conninfo
        try AdminConnection(to: conninfo).execute("CREATE TABLE sign ()")
    }

    private static let others = """
        FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'DO %'
        """

    /// Waits until the server has begun with it.
    func isUnderWay(on loop: EventLoop) async throws {
        let looker = try AdminConnection(to: conninfo)
        let condition = "SELECT \(Self.others) AND state = 'active'"
        while try looker.execute(condition, []).isEmpty { await loop.sleep(for: .milliseconds(10)) }
    }

    /// Lets it end.
    func end() throws { try AdminConnection(to: conninfo).execute("INSERT INTO sign DEFAULT VALUES") }

    /// Ends the connection that it is on.
    func kill() throws {
        _ = try AdminConnection(to: conninfo).execute("SELECT pg_terminate_backend(pid) \(Self.others)", [])
    }
}
