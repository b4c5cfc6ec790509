import Core
import EventLoop
import TestDatabase
import TestSockets
import TestSupport
import Testing

@testable import Postgres

@Suite struct `Servers of a database` {
    @Test(arguments: [
        ("host=a,b port=1,2", ["a:1", "b:2"]), ("host=a,b port=5433", ["a:5433", "b:5433"]), ("host=a,b", ["a", "b"]),
        ("postgresql://u:p@a:1,b,c:3/db", ["a:1", "b", "c:3"]),
        ("host=a,b hostaddr=127.0.0.1,127.0.0.2 port=1", ["a (127.0.0.1):1", "b (127.0.0.2):1"]),
        ("hostaddr=127.0.0.1", ["the local socket (127.0.0.1)"]),
        ("host=127.0.0.1,::1 port=1", ["127.0.0.1:1", "::1:1"]), ("host=/run/a,b port=1", ["/run/a:1", "b:1"]),
        ("host=,b port=,2", ["the local socket", "b:2"]), ("", ["the local socket"]),
    ]) func `are read as libpq reads them`(connection: String, servers: [String]) {
        #expect(DatabaseServers(connection).all.map(\.description) == servers)
    }

    @Test(arguments: [
        ("host=a", nil), ("postgresql://a,b/db?target_session_attrs=read-write", nil),
        ("target_session_attrs=any", nil), ("target_session_attrs=standby", "target_session_attrs=standby"),
        ("postgresql://a/db?target_session_attrs=prefer-standby", "target_session_attrs=prefer-standby"),
        ("service=main", "PGSERVICE"), ("host", "not a connection string"), ("none=1", "not a connection string"),
        ("postgresql://[::1", "not a connection string"), ("host='a", "not a connection string"),
    ]) func `are refused where the string cannot be used`(connection: String, problem: String?) {
        let said = DatabaseServers.problem(of: connection)
        #expect((said == nil) == (problem == nil))
        if let problem { #expect(said?.contains(problem) == true) }
    }

    @Test func `one that takes connections and says nothing, refuses, or has no name gives way to the next`()
        async throws
    {
        let silent = LoopbackListener(backlog: 64)
        let conninfo = try TestDatabase.empty()
        let own = try #require(ConnectionParameters(conninfo)?["host"])
        for first in [
            "host=127.0.0.1,\(own) port=\(silent.port),5432", "host=127.0.0.1,\(own) port=1,5432",
            "host=no-such-host.invalid,\(own) port=5432,5432", "host=/nonexistent,\(own) port=5432",
        ] {
            try await withPool("\(conninfo) \(first)", { $0.connectTimeout = .milliseconds(100) }) {
                database, _ async throws in
                #expect(try await database.query("SELECT \(7)").value() == 7)
                #expect(try await database.transaction { try await $0.query("SELECT \(8)").value(Int.self) } == 8)
                #expect(database.configuration.servers.current?.host == own)
            }
        }
    }

    @Test(arguments: ["hostaddr=127.0.0.1,127.0.0.2", "host=a,a hostaddr=127.0.0.1,127.0.0.2", "host=a,b"])
    func `are tried from the one on that answered last`(connection: String) {
        let servers = DatabaseServers(connection)
        #expect(servers.inTurn == servers.all)
        servers.note(servers.all[1], startedAt: Timestamp(microseconds: 0))
        #expect(servers.inTurn == servers.all.reversed())
    }

    @Test func `one that is frozen is left once another can be written to`() async throws {
        let other = try TestCluster()
        let conninfo = other.cluster.conninfo(database: "postgres")
        let own = try #require(ConnectionParameters(try TestDatabase.empty())?["host"])
        let frozen = try #require(ConnectionParameters(conninfo)?["host"])
        let relay = Relay(to: frozen + "/.s.PGSQL.5432")
        let serving = try EventLoop(name: "relay")
        try serving.start()
        serving.execute { relay.serve() }
        defer {
            relay.stop()
            serving.stop()
        }
        try await withPool(
            "\(conninfo) host=127.0.0.1,\(own) port=\(relay.port),5432", { $0.silence = .milliseconds(50) }
        ) { database, loop async throws in
            let first: Int = try await database.query("SELECT pg_backend_pid()").value()
            #expect(database.configuration.servers.current?.host == "127.0.0.1")
            // A transaction that is open and idle meanwhile, too.
            let (isOpen, goesOn) = (Count(), Count())
            let open = Task(executorPreference: loop) {
                await failure {
                    try await database.transaction { transaction in
                        try await transaction.query("SELECT 1")
                        isOpen.increment()
                        try await waitUntil { goesOn.value == 1 }
                        try await transaction.query("SELECT 1")
                    }
                }
            }
            try await waitUntil { isOpen.value == 1 }
            relay.freeze()
            let lost = await failure { try await database.query("SELECT 1") }
            #expect(lost?.isTemporary == true)
            let second: Int = try await database.query("SELECT pg_backend_pid()").value()
            #expect(second != first)
            #expect(database.configuration.servers.current?.host == own)
            goesOn.increment()
            #expect(await open.value?.isTemporary == true)
        }
    }

    @Test func `one that cannot be written to is not used, and is used again when it can be`() async throws {
        let conninfo = try TestDatabase.empty()
        let admin = try AdminConnection(to: conninfo)
        let name = try #require(try admin.execute("SELECT current_database()", [])[0][0])
        try admin.execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
        try await withPool(conninfo) { database, _ async throws in
            try await waitUntil { database.problem.contains("cannot be written to") }
            #expect(throws: AdminFailure.self) { try DatabaseConfiguration(connection: conninfo).verify() }
            let admin = try AdminConnection(to: conninfo)
            try admin.execute("SET default_transaction_read_only = off")
            try admin.execute("ALTER DATABASE \(name) RESET ALL")
            #expect(try await database.query("SELECT \(7)").value() == 7)
        }
    }
}

@Suite struct `What a failure says of its connection` {
    private func backend(_ database: Database) async throws -> Int {
        try await database.query("SELECT pg_backend_pid()").value()
    }

    @Test func `a statement that yields other types since a migration is prepared anew`() async throws {
        try await withPool({ $0.shared = 1 }) { database, _, conninfo async throws in
            try AdminConnection(to: conninfo).execute("CREATE TABLE t AS SELECT 1 AS n")
            let joined = { try await database.groupCommit("SELECT n::int8 FROM t", locking: [], setting: .acme) }
            for type in ["int", "bigint", "smallint"] {
                try AdminConnection(to: conninfo).execute("ALTER TABLE t ALTER n TYPE \(type)")
                let answers = try await race(8) { _ in
                    try await database.loop.run { try await database.query("SELECT n FROM t").first != nil }
                }
                #expect(answers == Array(repeating: true, count: 8))
                #expect(try await joined().value() == 1)
            }
        }
    }

    @Test func `in a transaction it fails as what may succeed the next time, and then does`() async throws {
        try await withPool { database, _, conninfo async throws in
            try AdminConnection(to: conninfo).execute("CREATE TABLE t AS SELECT 1 AS n")
            let read = { @Sendable () async throws -> Bool in
                try await database.transaction { try await $0.query("SELECT n FROM t").first != nil }
            }
            #expect(try await read())
            try AdminConnection(to: conninfo).execute("ALTER TABLE t ALTER n TYPE bigint")
            #expect(await failure { try await read() }?.isTemporary == true)
            #expect(try await read())
        }
    }

    @Test(arguments: ["25006", "58030", "58P01", "XX000", "XX001"])
    func `retires it where the server is doubtful, and its neighbours get their answers`(state: String) async throws {
        try await withPool({ $0.shared = 1 }) { database, loop, conninfo async throws in
            let before = try await backend(database)
            let held = try HeldStatement(at: conninfo)
            let first = Task(executorPreference: loop) { try await database.query(HeldStatement.text) }
            try await held.isUnderWay()
            let asked = database.statementCount
            let poison = Task(executorPreference: loop) { await failure { try await raise(state, on: database) } }
            let neighbours = (0..<5).map { number in
                Task(executorPreference: loop) { try await database.query("SELECT \(number)").value(Int.self) }
            }
            try await waitUntil { database.statementCount == asked + 7 }
            try held.end()
            _ = try await first.value
            #expect(await poison.value?.isTemporary == true)
            for (number, neighbour) in neighbours.enumerated() { #expect(try await neighbour.value == number) }
            #expect(try await backend(database) != before)
        }
    }

    @Test(arguments: ["08006", "57P01", "57P02"]) func `closes it where the connection ended`(state: String)
        async throws
    {
        try await withPool({ $0.shared = 1 }) { database, _, _ async throws in
            let before = try await backend(database)
            #expect(await failure { try await raise(state, on: database) }?.isTemporary == true)
            #expect(try await backend(database) != before)
        }
    }

    @Test func `keeps it otherwise`() async throws {
        try await withPool({ $0.shared = 1 }) { database, _, _ async throws in
            let before = try await backend(database)
            for state in ["23505", "40001", "0A000", "42P01", "53100"] {
                #expect(await failure { try await raise(state, on: database) } != nil)
            }
            #expect(try await backend(database) == before)
        }
    }
}

/// Fails on the server with that SQLSTATE.
private func raise(_ state: String, on database: Database) async throws {
    _ = try await database.query([
        "SELECT set_config('test.state', \(state), true)",
        "DO $$ BEGIN RAISE EXCEPTION 'poison' USING ERRCODE = current_setting('test.state'); END $$",
    ])
}

@Suite struct `A server with few connections` {
    @Test(arguments: [2, 3, 5]) func `keeps one for each purpose`(limit: Int) async throws {
        let conninfo = try TestDatabase.empty()
        let admin = try AdminConnection(to: conninfo)
        let role = "limited_\(limit)"
        try admin.execute("CREATE ROLE \(role) LOGIN CONNECTION LIMIT \(limit)")
        try await withPool("\(conninfo) user=\(role)", { $0.shared = 6 }) { database, loop async throws in
            // The others knock in vain meanwhile.
            try await waitUntil { database.problem.contains("53300") }
            let transactions = try await race(10) { number in
                try await loop.run {
                    try await database.transaction { try await $0.query("SELECT \(number)").value(Int.self) }
                }
            }
            #expect(transactions.sorted() == Array(0..<10))
            if limit > 2 { #expect(try await database.search("SELECT \(7)").value() == 7) }
            #expect(try await database.query("SELECT \(8)").value() == 8)
        }
        try admin.execute("DROP ROLE \(role)")
    }
}
