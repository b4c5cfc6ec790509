import TestDatabase
import TestSupport
import Testing

@testable import Postgres

@Suite struct `Private cluster` {
    /// All in one cluster, since each takes a second to set up; the others are in `PrivateClusterLongTests`.
    @Test func `is stopped by its last user, keeps its data, and comes back after its server was killed`() throws {
        let directory = try TestCluster.makeDirectory()
        let start = { settings in
            try PrivateCluster.start(in: directory, settings) { Issue.record("unexpected: \($0)") }
        }
        let first = try start(ClusterSettings.careless)
        let process = directory.postmaster
        let second = try start(ClusterSettings())
        #expect(process != nil && directory.postmaster == process)
        try AdminConnection(to: first.conninfo).execute("CREATE TABLE teams AS SELECT 'ACMETEAM01' AS id")
        try first.stop()
        #expect(try second.query("SELECT id FROM teams") == [["ACMETEAM01"]])
        try second.stop()
        #expect(directory.postmaster == nil)
        #expect(throws: AdminFailure.self) { try second.query("SELECT 1") }

        let next = try start(ClusterSettings())
        #expect(try next.query("SELECT id FROM teams") == [["ACMETEAM01"]])
        try AdminConnection(to: next.conninfo).execute("INSERT INTO teams VALUES ('RIVALTEAM1')")
        #expect(next.look().isEmpty)
        let names = ["fsync", "synchronous_commit", "listen_addresses", "jit", "max_connections", "server_encoding"]
        let values = try names.map { try next.query("SHOW \($0)")[0][0] }
        #expect(values == ["on", "on", "", "off", "100", "UTF8"])
        let database = try next.query(
            "SELECT datname, datcollate, current_user FROM pg_database WHERE datname = current_database()")
        #expect(database == [["pippin", "C.UTF-8", "pippin"]])

        // The server goes on writing to a log that has grown and was emptied.
        try File.write(String(repeating: "x", count: (10 << 20) + 1), to: next.log)
        ServerLog.keepSmall(next.log)
        #expect(throws: AdminFailure.self) { try next.query("SELECT 1/0") }
        #expect(try File.read(next.log + ".1").count == 10 << 20)
        #expect(try String(decoding: File.read(next.log), as: UTF8.self).contains("division by zero"))
        #expect(try File.read(next.log).count < 10_000)

        try directory.killServer()
        // PostgreSQL does not start while processes of the killed server still end.
        let events = try next.look { $0 == .started }
        #expect(events.first == .died && events.last == .started)
        try next.waitUntilItAccepts()
        #expect(try next.query("SELECT id FROM teams") == [["ACMETEAM01"], ["RIVALTEAM1"]], "what it acknowledged")
        try next.stop()
        #expect(directory.postmaster == nil)
    }
}
