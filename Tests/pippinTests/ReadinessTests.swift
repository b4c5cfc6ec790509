import Core
import EventLoop
import Postgres
import TestDatabase
import TestSupport
import Testing

@testable import HTTP
@testable import Platform
@testable import pippin

/// Each condition by the facts under which it holds.
@Suite struct `A condition of readiness` {
    private static let fine = DatabaseFacts(
        clock: .now(), serverStart: .now(), isReadOnly: false, hasRole: true, isWalled: true, migration: 3, runsWith: 1)

    private func first(_ change: (inout ReadinessFacts) -> Void) -> String {
        var facts = ReadinessFacts()
        (facts.database, facts.schema) = (Self.fine, SchemaRequirement(last: 3, needed: 2))
        change(&facts)
        return ReadinessCondition.holding(facts).first.map { "\($0.condition.code.rawValue) \($0.weight)" } ?? "ready"
    }

    @Test func `holds by its own facts`() {
        #expect(first { _ in } == "ready")
        #expect(first { $0.hasServed = false } == "starting unready")
        #expect(first { $0.isDraining = true } == "draining unready")
        #expect(first { $0.database?.isReadOnly = true } == "database_read_only unready")
        #expect(first { $0.database?.isCopy = true } == "copy warning")
        #expect(first { $0.database?.hasRole = false } == "database_role unready")
        #expect(first { $0.database?.isWalled = false } == "database_wall unready")
        #expect(first { $0.database?.migration = 1 } == "schema_older unready")
        // The third migration may come later.
        #expect(first { $0.database?.migration = 2 } == "ready")
        // The next release may already have migrated while this one serves.
        #expect(first { $0.database?.runsWith = 3 } == "ready")
        #expect(first { $0.database?.runsWith = 4 } == "schema_newer unready")
        #expect(first { $0.shapeFault = "missing: a policy" } == "schema_shape unready")
        #expect(first { $0.isFolderWritable = false } == "data_folder warning")
        #expect(first { ($0.isFolderWritable, $0.isStart) = (false, true) } == "data_folder unready")
    }

    @Test func `of the clock weighs by who else agrees with the database`() {
        for seconds in [-61, 61] {
            #expect(first { $0.clockDifference = .seconds(seconds) } == "clock warning")
            #expect(first { ($0.clockDifference, $0.othersAgree) = (.seconds(seconds), true) } == "clock unready")
            #expect(first { ($0.clockDifference, $0.isStart) = (.seconds(seconds), true) } == "clock unready")
        }
        #expect(first { ($0.clockDifference, $0.isStart) = (.seconds(6), true) } == "clock warning")
        #expect(first { ($0.clockDifference, $0.othersAgree) = (.seconds(-6), true) } == "clock warning")
        #expect(first { $0.clockDifference = .seconds(5) } == "ready")
    }

    @Test func `of the descriptors weighs more after a minute`() {
        #expect(first { $0.freeDescriptors = 64 } == "ready")
        #expect(first { $0.freeDescriptors = 63 } == "descriptors warning")
        #expect(first { ($0.freeDescriptors, $0.shortage) = (63, .seconds(60)) } == "descriptors unready")
        #expect(first { ($0.freeDescriptors, $0.isStart) = (63, true) } == "descriptors unready")
    }

    @Test(arguments: ReadinessCode.allCases) func `is in the list once, and holds as the trouble of a database`(
        code: ReadinessCode
    ) {
        #expect(ReadinessCondition.all.count { $0.code == code } == 1)
        guard code.rawValue.hasPrefix("database_") || code.rawValue.hasPrefix("schema_") else { return }
        #expect(
            first { ($0.trouble, $0.isFolderWritable) = (code, false) } == "\(code.rawValue) unready"
                || code == .schemaShape)
    }

    @Test(arguments: [
        (
            "connection to server on socket \"/s\" failed: FATAL:  57P03: the database system is starting up",
            "database_starting"
        ),
        (
            "connection to server at \"10.0.0.1\", port 5432 failed: FATAL:  53300: sorry, too many clients already",
            "database_unreachable"
        ), ("FATAL:  58P01: could not open file", "database_broken"), ("XX001: invalid page", "database_broken"),
        ("53100: could not extend file", "database_full"), ("25006: read-only", "database_read_only"),
        ("42P01: relation does not exist", "schema_older"), ("database_wall: complaint", "database_wall"),
        ("42501: permission denied to set role", "database_role"), ("Connection refused", nil), ("FATAL:  ERROR:", nil),
    ]) func `is read from what PostgreSQL says`(text: String, code: String?) {
        #expect(ReadinessCode(ofProblem: text)?.rawValue == code)
    }

    @Test func `needs three failures or three seconds`() {
        let second: Int64 = 1_000_000_000
        var seen = DatabaseObservations(at: 0)
        (seen.failures, seen.problem) = (2, "57P03: starting")
        #expect(seen.trouble(at: second) == nil)
        seen.failures = 3
        #expect(seen.trouble(at: second) == .databaseStarting)
        seen = DatabaseObservations(at: 0)
        #expect(seen.trouble(at: 3 * second) == .databaseSilent)
        (seen.answeredAt, seen.writeProblem) = (6 * second, "53100: no room")
        #expect(seen.trouble(at: 4 * second) == nil)
        #expect(seen.trouble(at: 6 * second) == .databaseFull)
        seen.writeProblem = ""
        #expect(seen.trouble(at: 6 * second) == .databaseStalled)
        (seen.writtenAt, seen.unconnected, seen.poolProblem) = (6 * second, 2, "Connection refused")
        #expect(seen.trouble(at: 6 * second) == nil)
        seen.unconnected = 3
        #expect(seen.trouble(at: 6 * second) == .databaseUnreachable)
    }
}

/// A server with a database of its own, to which things happen.
@Suite struct `A server that serves` {
    struct Cause: Sendable, CustomTestStringConvertible {
        let code: String
        let breaking: [String]
        let mending: [String]
        /// What somebody else holds meanwhile.
        var holding: String?

        var testDescription: String { "\(code): \(breaking.first ?? holding ?? "")" }
    }

    private static let cut = """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """
    private static func ofDatabase(_ change: String) -> String {
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I \(change)', current_database()); END $$"
    }

    /// A newer release applies its migration.
    private static func newer(runsWith: Int) -> String {
        """
        INSERT INTO pippin_migrations (number, name, checksum, runs_with, needed)
        VALUES (9999, '9999_tomorrow.sql', '', \(runsWith), 'now')
        """
    }

    /// Every write of a process's row fails so.
    private static func failing(_ state: String) -> [String] {
        [
            """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '\(state)'; END $$
            """, "CREATE TRIGGER fail BEFORE INSERT ON heartbeats FOR EACH ROW EXECUTE FUNCTION fail()",
        ]
    }

    static let causes = [
        Cause(
            code: "database_read_only", breaking: [ofDatabase("SET default_transaction_read_only = on"), cut],
            mending: [
                "SET default_transaction_read_only = off", ofDatabase("RESET default_transaction_read_only"), cut,
            ]),
        Cause(
            code: "database_wall", breaking: ["ALTER TABLE teams DISABLE ROW LEVEL SECURITY"],
            mending: ["ALTER TABLE teams ENABLE ROW LEVEL SECURITY"]),
        Cause(
            code: "database_wall", breaking: ["ALTER TABLE teams DISABLE ROW LEVEL SECURITY", cut],
            mending: ["ALTER TABLE teams ENABLE ROW LEVEL SECURITY"]),
        Cause(
            code: "schema_older",
            breaking: [
                // The fourth is needed; those after it may come later.
                "CREATE TABLE kept AS SELECT * FROM pippin_migrations WHERE number >= 4",
                "DELETE FROM pippin_migrations WHERE number >= 4",
            ], mending: ["INSERT INTO pippin_migrations SELECT * FROM kept"]),
        Cause(
            code: "schema_newer", breaking: [newer(runsWith: 9999)],
            mending: ["DELETE FROM pippin_migrations WHERE number = 9999"]),
        Cause(
            code: "schema_older", breaking: ["ALTER TABLE registry_versions RENAME TO gone"],
            mending: ["ALTER TABLE gone RENAME TO registry_versions"]),
        Cause(code: "database_silent", breaking: [], mending: [], holding: "LOCK TABLE registry_versions"),
        Cause(code: "database_stalled", breaking: [], mending: [], holding: "LOCK TABLE heartbeats IN EXCLUSIVE MODE"),
        Cause(code: "database_full", breaking: failing("53100"), mending: ["DROP FUNCTION fail CASCADE"]),
        Cause(code: "database_broken", breaking: failing("58030"), mending: ["DROP FUNCTION fail CASCADE"]),
        Cause(code: "database_broken", breaking: failing("XX001"), mending: ["DROP FUNCTION fail CASCADE"]),
    ]

    @Test(arguments: causes) func `names what is wrong until it is right again`(cause: Cause) async throws {
        try await withServer { server in
            try await server.turns("ready")
            // As somebody whose sessions are not cut, and who may write.
            let owner = try AdminConnection(to: server.conninfo)
            if let holding = cause.holding { try owner.execute("BEGIN; \(holding)") }
            for statement in cause.breaking { try owner.execute(statement) }

            try await server.turns(cause.code)
            if cause.holding != nil { try owner.execute("ROLLBACK") }
            for statement in cause.mending { try owner.execute(statement) }
            try await server.turns("ready")

            // The log's line follows the answer, and a machine that stands still for seconds may add some.
            try await waitUntil { server.changes.contains { $0.hasPrefix("\(cause.code) ") } }
            #expect(server.changes.contains { $0.hasSuffix(" \(cause.code)") })
            #expect(server.changes.first?.hasPrefix("starting ") == true)
        }
    }

    @Test(arguments: [
        ("DROP POLICY team ON sessions", "missing: sessions policy team"),
        ("CREATE POLICY mine ON sessions TO pippin_app USING (true)", "unexpected: sessions policy mine"),
        ("ALTER POLICY team ON sessions USING (true)", "missing: sessions policy team expressions"),
        ("REVOKE SELECT ON sessions FROM pippin_app", "missing: sessions grant SELECT to pippin_app"),
        ("GRANT TRUNCATE ON audit_events TO pippin_app", "unexpected: audit_events grant TRUNCATE to pippin_app"),
        ("ALTER TABLE sessions NO FORCE ROW LEVEL SECURITY", "missing: sessions row security"),
        ("DROP FUNCTION pippin_shape() CASCADE", "function public.pippin_shape() does not exist"),
        ("CREATE TABLE of_the_dba (id text)", nil), ("SELECT pippin_make_partitions()", nil),
        // Of another major version of PostgreSQL, which may write expressions in another way.
        (
            """
            UPDATE pippin_migrations SET shape = ARRAY(
                SELECT regexp_replace(regexp_replace(entry, 'expressions: .*', 'expressions: other'), 'SQL .*', 'SQL 1')
                FROM unnest(shape) WITH ORDINALITY AS entries (entry, number) ORDER BY number)
            """, nil
        ),
    ]) func `sees walls other than those that the last migration left`(statement: String, fault: String?) async throws {
        try await withServer { server in
            try AdminConnection(to: server.conninfo).execute(statement)
            await server.lookOnce()

            #expect(server.answer == (fault == nil ? "ready" : "schema_shape"))
            let told = server.faults.first
            #expect(told?.hasPrefix(fault ?? "?") == (fault == nil ? nil : true), "\(told ?? "nothing")")
        }
    }

    @Test func `does not start on a database without its walls`() async throws {
        try await withDatabase { conninfo in
            try AdminConnection(to: conninfo).execute("DROP POLICY team ON sessions")

            let failure = #expect(throws: CommandFailure.self) { try ReadyServer(conninfo) }
            #expect(failure?.lines.first?.hasPrefix("schema_shape: ") == true, "\(failure?.lines ?? [])")
        }
    }

    @Test(arguments: [
        ("ENCODING 'LATIN1' LOCALE 'C'", "the encoding"), ("ENCODING 'SQL_ASCII' LOCALE 'C'", "the encoding"),
        ("ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'tr'", "in the locale"),
        ("ENCODING 'UTF8' LOCALE 'C'", nil),
    ]) func `V85: starts on a database with no other encoding or locale than it can work with`(
        options: String, property: String?
    ) async throws {
        let conninfo = try TestDatabase.make(options)
        guard let property else { return try ReadyServer(conninfo).close() }

        let failure = #expect(throws: CommandFailure.self) { try ReadyServer(conninfo) }

        let line = failure?.lines.first ?? ""
        #expect(line.hasPrefix("database_unsuitable: ") && line.contains(property), "\(line)")
        #expect(try AdminConnection(to: conninfo).execute("SELECT to_regclass('pippin_migrations')", []) == [[nil]])
    }

    @Test func `V85: does not start where a setting that it cannot change keeps triggers from running`() async throws {
        let conninfo = try TestDatabase.make("")
        try TestDatabase.set("session_replication_role", to: "replica", in: conninfo)

        let failure = #expect(throws: CommandFailure.self) { try ReadyServer(conninfo) }
        #expect(failure?.lines.first?.contains("session_replication_role") == true)
    }

    @Test func `V85: migrates a database and serves whatever settings that has`() async throws {
        let conninfo = try TestDatabase.make("")
        try TestDatabase.makeOdd(conninfo)

        try await withServer(conninfo) { server in try await server.turns("ready") }

        let schemas = "SELECT DISTINCT relnamespace::regnamespace::text FROM pg_class WHERE relname = 'teams'"
        #expect(try AdminConnection(to: conninfo).execute(schemas, []) == [["public"]])
    }

    @Test func `V85: says so when a database turns unsuitable while it serves`() async throws {
        try await withServer { server in
            try await server.turns("ready")
            try TestDatabase.set("session_replication_role", to: "replica", in: server.conninfo)
            try AdminConnection(to: server.conninfo).execute(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
            try await server.turns("database_unsuitable")
            try TestDatabase.set("session_replication_role", to: "origin", in: server.conninfo)
            try await server.turns("ready")
        }
    }

    @Test func `starts on the schema of another release where that runs with it`() async throws {
        let last = try lastMigration()
        for (runsWith, starts) in [(last.number, true), (last.number + 1, false)] {
            try await withDatabase { conninfo in
                try AdminConnection(to: conninfo).execute(Self.newer(runsWith: runsWith))
                if starts { return try ReadyServer(conninfo).close() }

                let failure = #expect(throws: CommandFailure.self) { try ReadyServer(conninfo) }
                let line = failure?.lines.first ?? ""
                #expect(line.hasPrefix("schema_newer: ") && line.contains("9999_tomorrow.sql"), "\(line)")
                #expect(line.contains(last.name), "\(line)")
            }
        }
    }

    @Test func `without migrating starts where all that is missing is needed later`() async throws {
        for (needed, starts) in [("later", true), ("now", false)] {
            let release = try TemporaryFolder()
            for name in ["Templates", "Texts", "Public"] { _ = try shell("ln -s \(root)/\(name) \(release.path)") }
            _ = try shell("cp -r \(root)/migrations \(release.path)")
            let last = try lastMigration().number
            let text = "-- runs-with: \(padded(last))\n-- needed: \(needed)\nCREATE TABLE tomorrow (day date);\n"
            try release.write(text, to: "migrations/\(padded(last + 1))_tomorrow.sql")
            try await withDatabase { conninfo in
                let failure: CommandFailure?
                do {
                    try ReadyServer(conninfo, .serving, of: release.path).close()
                    failure = nil
                } catch let refusal as CommandFailure { failure = refusal }
                #expect((failure == nil) == starts, "\(failure?.lines ?? [])")
                #expect(failure?.lines.first?.hasPrefix("schema_older: ") != false)
                let made = try AdminConnection(to: conninfo).execute("SELECT to_regclass('tomorrow')", [])
                #expect(made == [[nil]])
            }
        }
    }

    @Test func `is drained when it stops, but not when another one takes over`() async throws {
        for (isHandedOver, expected) in [(false, "draining"), (true, "ready")] {
            try await withServer { server in
                try await server.turns("ready")
                if isHandedOver { server.process.handOver() }
                server.close()
                #expect(server.answer == expected)
            }
        }
    }

    @Test func `tells a load balancer one line without details, and when to ask again`() async throws {
        try await withServer { server in
            try await server.turns("ready")
            server.process.readiness.note { $0.shapeFault = "missing: sessions policy team" }
            let response = server.process.readiness.response
            #expect(response.status == .serviceUnavailable)
            #expect(response[.retryAfter] == "2" && response[.cacheControl] == "no-store")
            #expect(
                String(decoding: response.body, as: UTF8.self)
                    == "schema_shape: The database has lost rules of access.\n")
        }
    }
}

private let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

private func lastMigration() throws -> Migration {
    try #require(try Migrator(folder: root + "/migrations").migrations.last)
}

/// A number as files of migrations have it.
private func padded(_ number: Int) -> String { String(String(10_000 + number).dropFirst()) }
