import Postgres
import TestDatabase
import TestSupport
import Testing

/// A database whose owner is no superuser, as an operator's is.
@Suite struct `The owner of the tables` {
    private static let teams = """
        INSERT INTO teams (team_id, name, mode) VALUES ('ACMETEAM01', 'Acme', 'sandbox'), ('GARDEN0001', 'Garden', 'sandbox')
        """

    /// Lends a migrated database that belongs to an ordinary role, and connections as that.
    private func withOwnedDatabase<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let conninfo = try TestDatabase.empty()
        let superuser = try AdminConnection(to: conninfo)
        let name = try superuser.execute("SELECT current_database()", [])[0][0] ?? ""
        let role = "owner_of_\(name)"
        try superuser.execute(
            """
            DO $$ BEGIN
                IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pippin_app') THEN CREATE ROLE pippin_app; END IF;
                IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pippin_system') THEN CREATE ROLE pippin_system; END IF;
            EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
            END $$;
            CREATE ROLE \(role) LOGIN;
            GRANT pippin_app, pippin_system TO \(role);
            ALTER DATABASE \(name) OWNER TO \(role);
            ALTER SCHEMA public OWNER TO \(role);
            """)
        let owned = conninfo + " user=\(role)"
        try Migrator(folder: TestDatabase.migrations).migrate(try AdminConnection(to: owned))
        return try await body(owned)
    }

    @Test func `S22, V49: sees no row and writes none by mistake`() async throws {
        try await withOwnedDatabase { conninfo in
            let owner = try AdminConnection(to: conninfo)
            try owner.execute("BEGIN; SET LOCAL pippin.owner = 'on'; \(Self.teams); COMMIT")

            #expect(try owner.execute("SELECT team_id FROM teams", []).isEmpty)
            #expect(throws: AdminFailure.self) { try owner.execute(Self.teams) }
            try owner.execute("SELECT set_config('pippin.team', 'ACMETEAM01', false)")
            #expect(try owner.execute("SELECT team_id FROM teams", []).isEmpty)
            try owner.execute("SET ROLE pippin_app")
            #expect(try owner.execute("SELECT team_id FROM teams", []) == [["ACMETEAM01"]])
        }
    }

    /// The next file after those of the release, which adds a column and fills it.
    @Test func `V49: keeps all rows in a later migration, which reads and changes them`() async throws {
        let number = try Migrator(folder: TestDatabase.migrations).migrations.count + 1
        let folder = try shell("mktemp -d").split(separator: "\n").joined()
        defer { _ = try? shell("rm -r \(folder)") }
        let next = "\(folder)/$(printf %04d \(number))_nicknames.sql"
        let statements = "ALTER TABLE users ADD nickname text; UPDATE users SET nickname = given_name;"
        _ = try shell("cp \(TestDatabase.migrations)/*.sql \(folder) && echo '\(statements)' > \(next)")
        try await withOwnedDatabase { conninfo in
            let owner = try AdminConnection(to: conninfo)
            try owner.execute(
                """
                BEGIN; SET LOCAL pippin.owner = 'on'; \(Self.teams);
                INSERT INTO users (team_id, sub, given_name) VALUES
                    ('ACMETEAM01', 'ada', 'Ada'), ('GARDEN0001', 'ben', 'Ben');
                COMMIT
                """)
            #expect(try Migrator(folder: folder).migrate(owner).map(\.number) == [number])
            try owner.execute("SET pippin.owner = 'on'")
            let users = try owner.execute("SELECT team_id, sub, nickname FROM users ORDER BY sub", [])
            #expect(users == [["ACMETEAM01", "ada", "Ada"], ["GARDEN0001", "ben", "Ben"]])
        }
    }

    @Test func `S22, V49: still does for the server what only it may`() async throws {
        try await withOwnedDatabase { conninfo in
            let owner = try AdminConnection(to: conninfo)
            try owner.execute(
                """
                BEGIN; SET LOCAL pippin.owner = 'on'; \(Self.teams);
                UPDATE teams SET deleted_at = now() WHERE team_id = 'GARDEN0001';
                INSERT INTO users (team_id, sub, given_name, family_name) VALUES
                    ('ACMETEAM01', 'ada', 'Ada', 'Lovelace'), ('GARDEN0001', 'ben', 'Ben', 'Gardener');
                INSERT INTO refresh_tokens (team_id, token_id, sub, app_id, client_id, authenticated_at, created_at,
                    last_used_at)
                SELECT 'ACMETEAM01', decode(lpad(to_hex(n), 2, '0'), 'hex'), 'ada', 'a.b', 'a.c', now(), now(), now()
                FROM generate_series(1, 2) n;
                COMMIT
                """)
            let server = try AdminConnection(to: conninfo)
            // A trigger that writes what nobody else may, and foreign keys, which are looked up as the owner.
            try server.execute(
                """
                SET ROLE pippin_app; SELECT set_config('pippin.team', 'ACMETEAM01', false);
                UPDATE refresh_tokens SET revoked_at = now() - interval '31 days';
                UPDATE teams SET name = 'Acme & Co'
                """)
            #expect(
                try server.execute("SELECT version::text FROM registry_versions", []).count == 1, "a trigger counts on")
            try server.execute("SELECT set_config('pippin.team', 'GARDEN0001', false)")
            let removed = try server.execute("SELECT pippin_empty_team(100)::text", [])
            #expect(removed != [["0"]])
            #expect(try server.execute("SELECT sub FROM users", []).isEmpty)
            // As the schedules of the installation are: with no team, though the owner has pippin_app's policies as well.
            try server.execute("RESET pippin.team; SET ROLE pippin_system")
            // One of two stays: it tells of the person and the group.
            #expect(try server.execute("SELECT pippin_apply_retention('refresh_tokens', 100)::text", []) == [["2"]])
            try server.execute(
                "SELECT pippin_make_partitions(), pippin_keep_traces(), pippin_drop_partitions(), pippin_apply_retention('jobs', 10)"
            )
            try server.execute("SET ROLE pippin_app; SELECT set_config('pippin.team', 'ACMETEAM01', false)")
            #expect(try server.execute("SELECT FROM refresh_tokens", []).count == 1)
        }
    }
}
