import Core
import Platform
import Postgres
import Testing

@testable import Registry

@Suite struct `The deletion of a team` {
    private static let acme = "ACMETEAM01"
    private static let rival = "RIVALTEAM1"
    /// When the grace period is over.
    private static let due = Timestamp.noon + TeamStore.gracePeriod
    /// What stays of a deleted team, as the catalogue knows it.
    private static let kept: Set = [
        "teams", "registry_versions", "audit_events", "audit_words", "audit_unsealed", "audit_seals", "audit_chains",
        "audit_checkpoints",
    ]

    /// Acme, whose deletion was asked for at noon, and Rival.
    private func addTeams(to environment: TestEnvironment) async throws -> TeamID {
        let ada = try environment.addAccount("ada")
        let acme = try await environment.addTeam("Acme", as: Self.acme, owner: ada)
        try await environment.addTeam("Rival", as: Self.rival, owner: ada)
        _ = try await environment.change(acme, by: .member(ada)) { change in
            try await environment.teams.requestDeletion(reason: "closing", version: 1, at: .noon, change)
        }
        return acme
    }

    private func round(_ environment: TestEnvironment) -> TeamDeletionRound {
        TeamDeletionRound(environment.database, environment.system, obligations: [])
    }

    /// Puts a row of both teams into every table that has a team, whatever the table asks of its rows.
    private func fill(_ environment: TestEnvironment) throws {
        try environment.admin(
            """
            DO $$
            DECLARE
                tenant regclass;
                team text;
                checked text;
                columns text;
                row_values text;
            BEGIN
                SET LOCAL session_replication_role = replica;
                FOR tenant IN
                    SELECT c.oid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
                    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
                        AND NOT c.relispartition AND a.attname = 'team_id'
                LOOP
                    FOR checked IN
                        SELECT conname FROM pg_constraint WHERE conrelid = tenant AND contype = 'c'
                    LOOP
                        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', tenant, checked);
                    END LOOP;
                    FOREACH team IN ARRAY ARRAY['ACMETEAM01', 'RIVALTEAM1'] LOOP
                        SELECT string_agg(quote_ident(attname), ', '), string_agg(
                            CASE
                                WHEN attname = 'team_id' THEN quote_literal(team)
                                WHEN atttypid = 'text'::regtype THEN quote_literal(team || attname)
                                WHEN atttypid = 'provider_id'::regtype THEN quote_literal('apple')
                                WHEN atttypid = 'bytea'::regtype THEN format('%L::text::bytea', team)
                                WHEN atttypid = 'jsonb'::regtype THEN '''{}'''
                                WHEN atttypid = 'text[]'::regtype THEN '''{}'''
                                WHEN atttypid = 'boolean'::regtype THEN 'false'
                                WHEN atttypid IN ('timestamptz'::regtype, 'date'::regtype) THEN 'now()'
                                ELSE '1'
                            END, ', '
                        ) INTO columns, row_values
                        FROM pg_attribute
                        WHERE attrelid = tenant AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
                        EXECUTE format(
                            'INSERT INTO %s (%s) VALUES (%s) ON CONFLICT DO NOTHING', tenant, columns, row_values
                        );
                    END LOOP;
                END LOOP;
            END
            $$
            """)
    }

    /// How many rows each table with a team has of this one.
    private func rows(of team: String, _ environment: TestEnvironment) throws -> [String: Int] {
        let tables = try environment.admin(
            """
            SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                AND a.attname = 'team_id'
            """)
        let counts = tables.compactMap { $0[0] }.map { "SELECT '\($0)', count(*) FROM \($0) WHERE team_id = $1" }
        return try environment.admin(counts.joined(separator: " UNION ALL "), team).reduce(into: [String: Int]()) {
            counts, row in
            let table = try #require(row[0])
            counts[table] = row[1].flatMap { Int($0) }
        }
    }

    @Test func `waits out the grace period, and closes the team first, which cannot be taken back`() async throws {
        try await withEnvironment { environment in
            let acme = try await addTeams(to: environment)
            try await round(environment).run(at: Self.due - .seconds(1))
            #expect(try await environment.teams.find(acme)?.closedAt == nil)
            try await round(environment).run(at: Self.due)
            try await round(environment).run(at: Self.due + TeamDeletionStore.settlingTime - .seconds(1))

            let team = try #require(try await environment.teams.find(acme))
            #expect(team.closedAt == Self.due && team.deletedAt == nil)
            let kept = try await environment.change(acme) { try await environment.teams.cancelDeletion($0) }
            guard case .conflict = kept else { return #expect(Bool(false), "a closed team was kept") }
        }
    }

    @Test func `hides the team before anything goes`() async throws {
        try await withEnvironment { environment in
            let acme = try await addTeams(to: environment)
            let versions = "SELECT version FROM registry_versions WHERE team_id = 'ACMETEAM01'"
            let before = try environment.admin(versions)

            try await round(environment).run(at: Self.due)
            try await round(environment).run(at: Self.due + TeamDeletionStore.settlingTime)

            #expect(try await environment.teams.find(acme) == nil)
            // So every cache of every process forgets it.
            #expect(try environment.admin(versions) != before)
            #expect(try rows(of: Self.acme, environment)["memberships"] == 1)
            #expect(
                try environment.allActions(in: acme) == [
                    "team.created", "member.added", "team.deletion_requested", "team.closed", "team.deleted",
                ])
        }
    }

    @Test func `does nothing once an owner has taken it back`() async throws {
        try await withEnvironment { environment in
            let acme = try await addTeams(to: environment)
            let store = TeamDeletionStore(environment.database, environment.system)
            #expect(try await store.dueTeams(at: Self.due) == [acme])
            _ = try await environment.change(acme) { try await environment.teams.cancelDeletion($0) }

            try await store.close(acme, at: Self.due)

            #expect(try await store.dueTeams(at: Self.due).isEmpty)
            #expect(try await environment.teams.find(acme)?.closedAt == nil)
        }
    }

    @Test func `leaves no row but the id and the log without its names, and takes nothing from another team`()
        async throws
    {
        try await withEnvironment { environment in
            let acme = try await addTeams(to: environment)
            try fill(environment)
            try environment.admin("UPDATE mailbox SET of_team = 'ACMETEAM01' WHERE team_id = 'RIVALTEAM1'")
            let full = try rows(of: Self.acme, environment)
            #expect(full.count > 40 && full.values.allSatisfy { $0 > 0 })
            var rival = try rows(of: Self.rival, environment)
            // The one that is of Acme.
            rival["mailbox"] = 0

            for pause in 0...2 {
                try await round(environment).run(at: Self.due + TeamDeletionStore.settlingTime * pause)
            }

            let left = try rows(of: Self.acme, environment).filter { $0.value > 0 }
            #expect(Set(left.keys) == Self.kept)
            #expect(try environment.admin("SELECT FROM mailbox WHERE of_team = 'ACMETEAM01'").isEmpty)
            let emptied = "SELECT name, emptied_at IS NOT NULL FROM teams WHERE team_id = 'ACMETEAM01'"
            #expect(try environment.admin(emptied) == [["Acme", "t"]])
            #expect(try environment.admin("SELECT FROM audit_people WHERE team_id = 'ACMETEAM01'").isEmpty)
            #expect(try environment.allActions(in: acme).contains("member.added"))
            #expect(try rows(of: Self.rival, environment) == rival)
        }
    }

    @Test func `goes on where a process died, in batches`() async throws {
        try await withEnvironment { environment in
            let acme = try await addTeams(to: environment)
            try environment.admin(
                """
                INSERT INTO users (team_id, sub) SELECT 'ACMETEAM01', 'user' || n FROM generate_series(1, 40) AS n
                """)
            try environment.admin(
                "INSERT INTO passwords (team_id, sub, hash) SELECT team_id, sub, '' FROM users WHERE sub LIKE 'user%'")
            try environment.addApps(30, named: "com.acme.app")
            try environment.admin(
                "UPDATE app_ids SET primary_identifier = 'com.acme.app1' WHERE identifier <> 'com.acme.app1'")
            let store = TeamDeletionStore(environment.database, environment.system)
            try await store.close(acme, at: Self.due)
            try await store.delete(acme, at: Self.due + TeamDeletionStore.settlingTime)

            // A process that dies after a batch leaves what the next one finds.
            #expect(try await store.removeRows(of: acme, batch: 7) == 7)
            let settled = Self.due + TeamDeletionStore.settlingTime * 2
            #expect(try await store.teamsToEmpty(at: Self.due + TeamDeletionStore.settlingTime).isEmpty)
            #expect(try await store.teamsToEmpty(at: settled) == [acme])
            while case let removed = try await store.removeRows(of: acme, batch: 7), removed > 0 {
                #expect(removed <= 7)
            }
            try await round(environment).run(at: settled)
            try await round(environment).run(at: Self.due + .seconds(86_400))

            #expect(Set(try rows(of: Self.acme, environment).filter { $0.value > 0 }.keys).isSubset(of: Self.kept))
            #expect(try environment.allActions(in: acme).suffix(2) == ["team.deleted", "team.emptied"])
        }
    }

    @Test func `cannot empty a team that lives, nor another one`() async throws {
        try await withEnvironment { environment in
            let acme = try await addTeams(to: environment)
            let rival = try #require(TeamID(rawValue: Self.rival))
            let store = TeamDeletionStore(environment.database, environment.system)
            try await store.close(acme, at: Self.due)
            try await store.delete(acme, at: Self.due + TeamDeletionStore.settlingTime)

            await #expect(throws: PostgresFailure.self) { try await store.removeRows(of: rival, batch: 10) }
            await #expect(throws: PostgresFailure.self) { try await store.removeRows(of: .system, batch: 10) }
            #expect(try rows(of: Self.rival, environment)["memberships"] == 1)
        }
    }
}
