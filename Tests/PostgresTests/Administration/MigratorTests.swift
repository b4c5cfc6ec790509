import EventLoop
import TestDatabase
import TestSupport
import Testing

@testable import Postgres

@Suite struct `Migrations` {
    let folder: TemporaryFolder
    let conninfo: String

    init() throws {
        folder = try TemporaryFolder()
        conninfo = try TestDatabase.empty()
        try folder.write("CREATE TABLE teams (id text PRIMARY KEY);", to: "0001_teams.sql")
        try folder.write("CREATE TABLE users (id text); INSERT INTO teams VALUES ('ACMETEAM01');", to: "0002_users.sql")
    }

    private func migrate() throws -> [String] {
        try Migrator(folder: folder.path).migrate(AdminConnection(to: conninfo)).map(\.name)
    }

    private func pending() throws -> [String] {
        try Migrator(folder: folder.path).pending(AdminConnection(to: conninfo)).map(\.name)
    }

    private func query(_ statement: String) throws -> [[String?]] {
        try AdminConnection(to: conninfo).execute(statement, [])
    }

    @Test func `run in order, once, and are remembered`() throws {
        #expect(try pending() == ["0001_teams.sql", "0002_users.sql"])
        #expect(try migrate() == ["0001_teams.sql", "0002_users.sql"])
        #expect(try migrate() == [])
        #expect(try pending() == [])
        #expect(try query("SELECT id FROM teams") == [["ACMETEAM01"]])
        let rows = try query(
            "SELECT number, name, length(checksum), applied_at <= now() FROM pippin_migrations ORDER BY 1")
        #expect(rows == [["1", "0001_teams.sql", "64", "t"], ["2", "0002_users.sql", "64", "t"]])
    }

    @Test func `a new file is applied to a database that has the others`() throws {
        _ = try migrate()
        try folder.write("ALTER TABLE users ADD name text", to: "0003_names.sql")
        #expect(try migrate() == ["0003_names.sql"])
    }

    @Test func `looking for what is pending changes nothing`() throws {
        _ = try pending()
        #expect(try query("SELECT to_regclass('pippin_migrations')") == [[nil]])
    }

    @Test func `one that fails leaves nothing behind and tells file, line and reason`() throws {
        try folder.write("CREATE TABLE left_over (id text);\n-- naïve 🍏\nSELECT wrong;\n", to: "0003_wrong.sql")
        let failure = #expect(throws: MigrationFailure.self) { try migrate() }
        #expect(
            failure?.description == """
                migration 0003_wrong.sql, line 3: column "wrong" does not exist (SQLSTATE 42703); \
                nothing of this file was applied
                """)
        #expect(try query("SELECT to_regclass('left_over'), to_regclass('users')") == [[nil, "users"]])
        #expect(try pending() == ["0003_wrong.sql"])
    }

    @Test func `files that are no longer those that were applied are refused`() throws {
        let cases: [(removed: String, added: (name: String, text: String)?, failure: MigrationFailure)] = [
            (
                "0001_teams.sql", ("0001_teams.sql", "CREATE TABLE teams (id text PRIMARY KEY); "),
                .changed("0001_teams.sql")
            ),
            (
                "0002_users.sql", ("0002_people.sql", "SELECT 1"),
                .renamed("0002_people.sql", appliedAs: "0002_users.sql")
            ), ("0001_teams.sql", nil, .missing("0001_teams.sql")),
            // A database newer than the folder, of which nothing says that it runs with an older release.
            ("0002_users.sql", nil, .newer("0002_users.sql", runsWith: 2, own: "0001_teams.sql")),
        ]
        _ = try migrate()
        for (removed, added, failure) in cases {
            let text = String(decoding: try File.read(folder.path + "/" + removed), as: UTF8.self)
            try folder.remove(removed)
            if let added { try folder.write(added.text, to: added.name) }
            #expect(throws: failure) { try migrate() }
            if let added { try folder.remove(added.name) }
            try folder.write(text, to: removed)
        }
        #expect(try migrate() == [])
    }

    @Test func `those of a newer release are let be where their schema runs with this one`() throws {
        try folder.write(
            "ALTER TABLE pippin_migrations ADD runs_with integer, ADD needed text", to: "0003_releases.sql")
        _ = try migrate()
        try folder.write("-- runs-with: 0003\n-- needed: later\nSELECT 1", to: "0004_compatible.sql")
        try folder.write("-- runs-with: 0004\n-- needed: now\nSELECT 1", to: "0005_incompatible.sql")
        #expect(try migrate() == ["0004_compatible.sql", "0005_incompatible.sql"])
        let rows = try query("SELECT runs_with, needed FROM pippin_migrations ORDER BY number")
        #expect(rows == [[nil, nil], [nil, nil], ["3", "now"], ["3", "later"], ["4", "now"]])

        try folder.remove("0005_incompatible.sql")
        #expect(try migrate() == [])
        try folder.remove("0004_compatible.sql")
        let failure = MigrationFailure.newer("0005_incompatible.sql", runsWith: 4, own: "0003_releases.sql")
        #expect(throws: failure) { try migrate() }
        #expect(throws: failure) { try pending() }
        try AdminConnection(to: conninfo).execute("DELETE FROM pippin_migrations WHERE number = 5")
        #expect(try migrate() == [])
        // One in the middle is missing all the same.
        try folder.remove("0003_releases.sql")
        try folder.write("SELECT 1", to: "0004_compatible.sql")
        #expect(throws: MigrationFailure.missing("0003_releases.sql")) { try migrate() }
    }

    @Test(arguments: [
        (2, 1, SchemaRequirement.Fit.compatible), (3, 3, .compatible), (4, 3, .compatible), (1, 1, .older),
        (4, 4, .newer),
        // Nothing says that what this release needs is there.
        (0, 0, .older),
    ]) func `fit a release by its last one and the last that it needs`(
        migration: Int, runsWith: Int, fit: SchemaRequirement.Fit
    ) { #expect(SchemaRequirement(last: 3, needed: 2).fit(migration: migration, runsWith: runsWith) == fit) }

    @Test func `a database of the migrations before 0001_initial_schema is refused, and told what to do`() throws {
        _ = try migrate()
        try AdminConnection(to: conninfo).execute(
            "UPDATE pippin_migrations SET name = '0001_foundation.sql' WHERE number = 1")
        let release = try Migrator(folder: TestDatabase.migrations)
        let failure = #expect(throws: MigrationFailure.self) { try release.migrate(AdminConnection(to: conninfo)) }
        #expect(
            failure?.description == """
                the database was made by other migrations (0001_foundation.sql, where this release has \
                0001_initial_schema.sql) and cannot be upgraded: use the release that made it, or an empty database
                """)
        #expect(try query("SELECT to_regclass('users'), to_regclass('retention')") == [["users", nil]])
    }

    @Test func `files whose names or texts are none are refused before anything runs`() throws {
        let names = ["3_short.sql", "0003.sql", "0003_.sql", "0003_Upper.sql", "0000_zero.sql", "٠٠٠٣_digits.sql"]
        let cases: [(name: String, failure: MigrationFailure)] =
            names.map { ($0, .misnamed($0)) } + [
                ("0004_late.sql", .gap(before: "0004_late.sql")),
                ("0002_zebras.sql", .sameNumber("0002_users.sql", "0002_zebras.sql")),
            ]
        for (name, failure) in cases {
            try folder.write("SELECT 1", to: name)
            #expect(throws: failure) { try migrate() }
            try folder.remove(name)
        }
        try folder.write("SELECT 1;\0DROP TABLE teams", to: "0003_binary.sql")
        #expect(throws: MigrationFailure.self) { try migrate() }
        #expect(try query("SELECT to_regclass('teams')") == [[nil]])
    }

    @Test func `a file before one that was applied is refused`() throws {
        _ = try migrate()
        try AdminConnection(to: conninfo).execute("DELETE FROM pippin_migrations WHERE number = 1")
        let failure = MigrationFailure.outOfOrder("0001_teams.sql", after: "0002_users.sql")
        #expect(throws: failure) { try migrate() }
    }

    @Test func `other files are left alone`() throws {
        try folder.write("words", to: "README.md")
        try folder.write("swap", to: ".0003_x.sql")
        #expect(try migrate().count == 2)
    }

    @Test func `a file that ends its transaction is refused, every time`() throws {
        try folder.write("SELECT 1; COMMIT; SELECT 2", to: "0003_commit.sql")
        #expect(throws: MigrationFailure.endsTransaction("0003_commit.sql")) { try migrate() }
        #expect(throws: MigrationFailure.endsTransaction("0003_commit.sql")) { try migrate() }
    }

    @Test func `what one file sets does not reach the next`() throws {
        try folder.write("SET ROLE pg_monitor; SET search_path = nowhere", to: "0003_settings.sql")
        try folder.write("CREATE TABLE apps (id text)", to: "0004_apps.sql")
        #expect(try migrate().count == 4)
        #expect(try query("SELECT to_regclass('public.apps')") == [["apps"]])
    }

    @Test func `processes that start together apply each file once`() async throws {
        try folder.write("SELECT pg_advisory_xact_lock(1)", to: "0003_slow.sql")
        let holder = try RowHolder(at: conninfo, "SELECT pg_advisory_xact_lock(1)")
        let threads = try BlockingPool(name: "migrators", threads: 4, queueLimit: 4)
        defer { threads.stop() }
        let (folder, conninfo, waits) = (folder, conninfo, Notes())
        let applied = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await threads.run {
                        try Migrator(folder: folder.path).migrate(AdminConnection(to: conninfo)) { wait in
                            waits.note(wait)
                        }.map(\.name)
                    }
                }
            }
            try await waitUntil { waits.all.count { $0.hasPrefix("waiting for another process") } == 3 }
            try holder.commit()
            return try await group.reduce([]) { $0 + $1 }
        }
        #expect(applied.sorted() == ["0001_teams.sql", "0002_users.sql", "0003_slow.sql"])
    }

    /// One who reads keeps a migration waiting, and everybody else behind that.
    @Test func `one that needs a table in use lets go of it, and is tried again`() async throws {
        _ = try migrate()
        try folder.write("ALTER TABLE users ADD name text", to: "0003_names.sql")
        let reader = try RowHolder(at: conninfo, "SELECT count(*) FROM users")
        var migrator = try Migrator(folder: folder.path)
        (migrator.retry.timeout, migrator.retry.firstPause) = (.milliseconds(20), .milliseconds(20))
        let (patient, conninfo, waits) = (migrator, conninfo, Notes())
        let thread = try BlockingPool(name: "migrator", threads: 1, queueLimit: 1)
        defer { thread.stop() }
        async let applied = thread.run { try patient.migrate(AdminConnection(to: conninfo)) { waits.note($0) } }
        try await waitUntil { waits.all.count >= 2 }
        try reader.commit()
        #expect(try await applied.map(\.name) == ["0003_names.sql"])
        #expect(Set(waits.all) == ["migration 0003_names.sql waits for a table that is in use, and is tried again"])

        try folder.write("ALTER TABLE users ADD age text", to: "0004_ages.sql")
        let other = try RowHolder(at: conninfo, "SELECT count(*) FROM users")
        var impatient = try Migrator(folder: folder.path)
        (impatient.retry.timeout, impatient.retry.limit) = (.milliseconds(20), .zero)
        let failure = #expect(throws: MigrationFailure.self) { try impatient.migrate(AdminConnection(to: conninfo)) }
        #expect(failure?.description.contains("55P03") == true)
        try other.commit()
    }

    private func indexes() throws -> [[String?]] {
        try query(
            """
            SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
            WHERE relname LIKE '%names' ORDER BY relname
            """)
    }

    @Test func `an index is built beside those who use the table, and again where that was broken off`() throws {
        try folder.write(
            """
            -- runs-with: 0002
            -- needed: later
            -- By name.
            CREATE INDEX CONCURRENTLY IF NOT EXISTS names
                ON users (id) WHERE id <> 'nobody';
            """, to: "0003_names.concurrent.sql")
        // One who writes does not keep it waiting for a lock.
        #expect(try migrate() == ["0001_teams.sql", "0002_users.sql", "0003_names.concurrent.sql"])
        #expect(try indexes() == [["names", "t"]])

        let owner = try AdminConnection(to: conninfo)
        try owner.execute("DELETE FROM pippin_migrations WHERE number = 3")
        #expect(try migrate() == ["0003_names.concurrent.sql"])
        try owner.execute(
            "DELETE FROM pippin_migrations WHERE number = 3; UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'names'::regclass"
        )
        #expect(try migrate() == ["0003_names.concurrent.sql"])
        #expect(try indexes() == [["names", "t"]])
    }

    @Test func `an index of a partitioned table is built on one partition after the other`() throws {
        try folder.write(
            """
            CREATE TABLE visits (day integer, name text) PARTITION BY LIST (day);
            CREATE TABLE visits_0 PARTITION OF visits FOR VALUES IN (0);
            CREATE TABLE visits_1 PARTITION OF visits FOR VALUES IN (1);
            """, to: "0003_visits.sql")
        try folder.write(
            "CREATE INDEX CONCURRENTLY IF NOT EXISTS visits_names ON visits (name)", to: "0004_names.concurrent.sql")
        let all = [["visits_0_visits_names", "t"], ["visits_1_visits_names", "t"], ["visits_names", "t"]]
        #expect(try migrate().count == 4)
        #expect(try indexes() == all)

        // Broken off in the second partition.
        let owner = try AdminConnection(to: conninfo)
        try owner.execute(
            """
            DROP INDEX visits_names;
            CREATE INDEX visits_names ON ONLY visits (name);
            CREATE INDEX visits_0_visits_names ON visits_0 (name);
            ALTER INDEX visits_names ATTACH PARTITION visits_0_visits_names;
            CREATE INDEX visits_1_visits_names ON visits_1 (name);
            UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'visits_1_visits_names'::regclass;
            DELETE FROM pippin_migrations WHERE number = 4;
            """)
        #expect(try migrate() == ["0004_names.concurrent.sql"])
        #expect(try indexes() == all)
    }

    @Test(arguments: [
        "", "CREATE INDEX names ON users (id)", "CREATE INDEX CONCURRENTLY names ON users (id)",
        "CREATE INDEX CONCURRENTLY IF NOT EXISTS names ON users(id)", "ALTER TABLE users ADD name text",
        "CREATE INDEX CONCURRENTLY IF NOT EXISTS names ON",
    ]) func `a file of an index with another statement is refused`(text: String) throws {
        try folder.write(text, to: "0003_names.concurrent.sql")
        #expect(throws: MigrationFailure.notAnIndex("0003_names.concurrent.sql")) { try migrate() }
        #expect(try query("SELECT to_regclass('teams')") == [[nil]])
    }

    @Test func `a folder that is not there is refused`() {
        let failure = MigrationFailure.unreadable(path: "/nowhere", reason: "No such file or directory")
        #expect(throws: failure) { _ = try Migrator(folder: "/nowhere") }
    }

    @Test func `those of this release are well named and lie in every clone`() throws {
        let migrator = try Migrator(folder: TestDatabase.migrations)
        #expect(!migrator.migrations.isEmpty)
        #expect(migrator.migrations.filter { $0.runsWith < 1 || $0.runsWith > $0.number }.map(\.name) == [])
        #expect(try migrator.pending(AdminConnection(to: TestDatabase.clone())) == [])
    }
}
