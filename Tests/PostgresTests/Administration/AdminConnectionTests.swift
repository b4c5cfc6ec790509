import Postgres
import TestDatabase
import Testing

@Suite struct `Administrative connection` {
    @Test func `several statements run in one call`() throws {
        let connection = try AdminConnection(to: TestDatabase.empty())
        try connection.execute("CREATE TABLE people (name text); INSERT INTO people VALUES ('Ada'), ('Ben')")
        #expect(try connection.execute("SELECT name FROM people ORDER BY name", []) == [["Ada"], ["Ben"]])
    }

    @Test func `values go in and out, NULL and umlauts too`() throws {
        let connection = try AdminConnection(to: TestDatabase.empty())
        let rows = try connection.execute("SELECT $1::text, $2::text, $3::text, ''", ["Grüße 🍏", nil, "'; --"])
        #expect(rows == [["Grüße 🍏", nil, "'; --", ""]])
    }

    @Test func `a refusal tells the state, the message and the place`() throws {
        let connection = try AdminConnection(to: TestDatabase.empty())
        let refusal = AdminFailure.refused(
            sqlState: "42P01", message: "relation \"nothing\" does not exist", position: 15)
        #expect(throws: refusal) { try connection.execute("SELECT * FROM nothing") }
        #expect(try connection.execute("SELECT 1", []) == [["1"]])
    }

    @Test func `a NUL character is refused, not cut off`() throws {
        let connection = try AdminConnection(to: TestDatabase.empty())
        #expect(throws: AdminFailure.containsNUL) { try connection.execute("SELECT 1;\0 DROP TABLE x") }
        #expect(throws: AdminFailure.containsNUL) { try connection.execute("SELECT $1", ["a\0b"]) }
        #expect(throws: AdminFailure.containsNUL) { _ = try AdminConnection(to: "host=/\0") }
    }

    @Test func `COPY is refused`() throws {
        let connection = try AdminConnection(to: TestDatabase.empty())
        #expect(throws: AdminFailure.self) { try connection.execute("COPY (SELECT 1) TO STDOUT") }
    }

    @Test func `a server that is not there is told in one line`() {
        let failure = #expect(throws: AdminFailure.self) { _ = try AdminConnection(to: "host=/nowhere dbname=pippin") }
        guard case .unreachable(let message)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(message.contains("/nowhere/.s.PGSQL.5432"))
        #expect(!message.contains("\n"))
    }
}
