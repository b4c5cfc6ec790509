import Core
import Platform
import Postgres

/// What a backup needs of a database and a restore of an empty one, read as the owner of the tables.
struct BackupStore: ~Copyable {
    /// Tables whose rows only count or beat.
    static let transient = ["heartbeats", "limits"]

    private let connection: AdminConnection

    init(_ connection: consuming AdminConnection) { self.connection = connection }

    /// A pooler neither passes settings on nor exports snapshots.
    func expectNoPooler() throws {
        if try connection.isPooled { throw CommandFailure("There is a pooler. Connect to PostgreSQL directly.") }
    }

    /// PostgreSQL's major version.
    func version() throws(AdminFailure) -> Int {
        Int(try text("SELECT current_setting('server_version_num')::integer / 10000")) ?? 0
    }

    private func text(_ statement: String, _ values: String?...) throws(AdminFailure) -> String {
        try connection.execute(statement, values).first?.first.flatMap(\.self) ?? ""
    }

    private func pairs(_ statement: String) throws(AdminFailure) -> [(String, String)] {
        try connection.execute(statement, []).map { ($0[0] ?? "", $0[1] ?? "") }
    }
}

// For a backup.
extension BackupStore {
    /// Whether row-level security holds for the role; nil if the role is not the owner of the tables either, so that rows
    /// would be hidden from it.
    func isHeld() throws(AdminFailure) -> Bool? {
        let answer = try text(
            """
            SELECT CASE WHEN rolsuper OR rolbypassrls THEN 'free' WHEN pg_has_role(relowner, 'USAGE') THEN 'held' END
            FROM pg_roles, pg_class WHERE rolname = current_user AND pg_class.oid = to_regclass('public.teams')
            """)
        return answer.isEmpty ? nil : answer == "held"
    }

    var isPippins: Bool {
        get throws(AdminFailure) { try !text("SELECT to_regclass('public.pippin_migrations')").isEmpty }
    }

    /// A difference from the policies and grants that the last migration left; nil if there is none.
    func shapeFault() throws(AdminFailure) -> String? {
        guard try !text("SELECT to_regprocedure('public.pippin_shape_faults()')").isEmpty else {
            return "they are of an older version"
        }
        let fault = try text("SELECT pippin_shape_faults FROM pippin_shape_faults() LIMIT 1")
        return fault.isEmpty ? nil : fault
    }

    /// Begins a transaction that sees the rows of all teams, and exports its snapshot.
    ///
    /// The tables are locked before the snapshot is taken, so that no migration comes in between.
    func begin() throws(AdminFailure) -> String {
        let tables = try text(
            """
            SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
            """)
        try connection.execute(
            """
            SET lock_timeout = '60s'; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;
            BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL pippin.owner = 'on';
            LOCK TABLE \(tables) IN ACCESS SHARE MODE
            """)
        return try text("SELECT pg_export_snapshot()")
    }

    /// Other roles than Pippin's and the owner's that have rights on a table, a column, a sequence or a function.
    private static let grantees = """
        SELECT DISTINCT rolname, '' FROM (
            SELECT relowner, (aclexplode(relacl)).grantee FROM pg_class
            WHERE relnamespace = 'public'::regnamespace
            UNION ALL
            SELECT relowner, (aclexplode(attacl)).grantee FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
            WHERE relnamespace = 'public'::regnamespace
            UNION ALL
            SELECT proowner, (aclexplode(proacl)).grantee FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        ) AS rights (owner, grantee) JOIN pg_roles ON pg_roles.oid = grantee
        WHERE grantee <> owner AND rolname NOT IN ('pippin_app', 'pippin_system')
        ORDER BY 1
        """

    /// What the transaction sees.
    func manifest(programs: Int) throws(AdminFailure) -> BackupManifest {
        let list = Self.transient.map { "'\($0)'" }.joined(separator: ", ")
        let tables = try pairs(
            """
            SELECT quote_ident(relname), '' FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT IN (\(list))
            """)
        var rows: [String: Int] = [:]
        for (table, _) in tables { rows[table] = Int(try text("SELECT count(*) FROM public.\(table)")) }
        let migrations = try connection.execute(
            "SELECT number, name, checksum FROM pippin_migrations ORDER BY number", [])
        let url = try text(
            "SELECT heartbeat->>'publicURL' FROM heartbeats WHERE heartbeat ? 'publicURL' ORDER BY seen_at DESC LIMIT 1"
        )
        return BackupManifest(
            pippin: Version.current, postgres: try version(), programs: programs, publicURL: url.isEmpty ? nil : url,
            takenAt: Int(try text("SELECT extract(epoch FROM now())::bigint")) ?? 0,
            migrations: migrations.map {
                BackupManifest.Migration(
                    number: $0[0].flatMap { Int($0) } ?? 0, name: $0[1] ?? "", checksum: $0[2] ?? "")
            },
            keys: Dictionary(uniqueKeysWithValues: try pairs("SELECT key_id, encode(proof, 'hex') FROM master_keys")),
            heads: Dictionary(
                uniqueKeysWithValues: try pairs(
                    """
                    SELECT team_id, format('%s:%s', position, encode(code, 'hex')) FROM audit_chains
                    WHERE position > 0
                    """)), roles: try pairs(Self.grantees).map(\.0), rows: rows)
    }
}

// For a restore.
extension BackupStore {
    /// The name of a table that is there already.
    func anyTable() throws(AdminFailure) -> String? {
        let name = try text(
            """
            SELECT pg_class.oid::regclass FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
            WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND nspname !~ '^pg_' AND nspname <> 'information_schema'
            ORDER BY 1 LIMIT 1
            """)
        return name.isEmpty ? nil : name
    }

    /// Pattern of the entries of a dump that are left out: the schema, which is there, what the former owner grants from now
    /// on, and the policies of that owner, in whose place `script` makes those of the new one.
    static let leftOut = "^[^ ]+ [0-9]+ [0-9]+ (SCHEMA|ACL -|COMMENT -|DEFAULT ACL|POLICY public [^ ]+ owner(_held)?) "

    /// Whether there is the mark of a copy.
    func isCopy() throws(AdminFailure) -> Bool { try text("SELECT EXISTS (SELECT FROM copies)") == "t" }

    /// Takes the mark of a copy away; returns whether there was one.
    func endCopy() throws(AdminFailure) -> Bool {
        let wasCopy = try !connection.execute("DELETE FROM copies RETURNING made_at", []).isEmpty
        // Last: what ends in between is a copy no longer, and is only kept from older releases.
        try connection.execute("UPDATE pippin_migrations SET runs_with = 1 WHERE number = \(Self.copies)")
        return wasCopy
    }

    /// Keeps releases away that do not know the mark of a copy, and would send what it keeps back.
    func refuseOlderReleases() throws(AdminFailure) { try connection.execute(Self.refusal) }

    private static let refusal = "UPDATE pippin_migrations SET runs_with = \(copies) WHERE number = \(copies)"

    /// Number of the migration that brought the mark.
    private static let copies = 10

    /// Ends all that a copy would send, and marks it.
    ///
    /// A backup of an older schema has no place for the mark yet.
    private static let copying = """

        DELETE FROM sessions;
        DELETE FROM jobs WHERE state = 'pending' AND every_seconds IS NULL;
        UPDATE notifications SET state = 'dead', settled_at = now() WHERE state = 'pending';
        CREATE TABLE IF NOT EXISTS copies (made_at timestamptz PRIMARY KEY DEFAULT now());
        INSERT INTO copies DEFAULT VALUES ON CONFLICT DO NOTHING;
        """

    /// Ends all tokens of all teams that were issued before now.
    private static let tokenEnd = """

        INSERT INTO not_befores AS known (team_id, client_id, not_before)
        SELECT team_id, '*', now() FROM teams WHERE NOT is_system AND deleted_at IS NULL
        ON CONFLICT (team_id, client_id) DO UPDATE SET not_before = greatest(known.not_before, excluded.not_before);
        """

    /// The statements of a restore before those of the dump, and those after them, which roll everything back unless the
    /// database is as the backup says.
    static func script(_ manifest: BackupManifest, for arguments: RestoreCommand.Arguments) -> (
        before: String, after: String
    ) {
        // In the dump's transaction, where the dump has the mark's migration; else once that is applied.
        let guarding = manifest.migrations.contains { $0.number == copies } ? "\n\(refusal);" : ""
        let last = (arguments.endsTokens ? tokenEnd : "") + (arguments.isCopy ? copying + guarding : "")
        func literal(_ value: some Encodable) -> String {
            let json = String(decoding: JSON.encode(value), as: UTF8.self)
            return "'" + json.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        }
        return (
            """
            BEGIN;
            SET LOCAL pippin.owner = 'on';
            SELECT set_config('pippin.roles', \(literal(manifest.roles)), true);
            DO $$
            DECLARE
                it record;
            BEGIN
                IF NOT pg_try_advisory_xact_lock(\(Migrator.lock)) THEN
                    RAISE EXCEPTION 'another restore or migration of this database is under way';
                END IF;
                IF to_regrole('pippin_app') IS NULL THEN CREATE ROLE pippin_app NOLOGIN NOBYPASSRLS; END IF;
                IF to_regrole('pippin_system') IS NULL THEN CREATE ROLE pippin_system NOLOGIN NOBYPASSRLS; END IF;
                FOR it IN SELECT name FROM json_array_elements_text(current_setting('pippin.roles')::json) AS name
                    WHERE to_regrole(quote_ident(name)) IS NULL
                LOOP
                    EXECUTE format('CREATE ROLE %I NOLOGIN', it.name);
                END LOOP;
                BEGIN
                    EXECUTE format('GRANT pippin_app, pippin_system TO %I', current_user);
                EXCEPTION WHEN insufficient_privilege THEN
                    IF NOT (pg_has_role('pippin_app', 'MEMBER') AND pg_has_role('pippin_system', 'MEMBER')) THEN
                        RAISE;
                    END IF;
                END;
            END
            $$;

            """,
            """

            SET LOCAL search_path = public, pg_temp;
            SELECT set_config('pippin.rows', \(literal(manifest.rows)), true);
            DO $$
            DECLARE
                it record;
                found bigint;
            BEGIN
                PERFORM pippin_force_rls(oid) FROM pg_class
                WHERE relnamespace = 'public'::regnamespace AND relforcerowsecurity;
                UPDATE pippin_migrations SET shape = ARRAY(
                    SELECT CASE WHEN entry ~ '^[^ ]+ policy (owner|owner_held) [tf] for '
                        THEN split_part(entry, ' to ', 1) || ' to ' || current_user ELSE entry END
                    FROM unnest(shape) WITH ORDINALITY AS kept (entry, place) ORDER BY place
                ) WHERE shape IS NOT NULL;
                FOR it IN SELECT key, value::bigint FROM json_each_text(current_setting('pippin.rows')::json) LOOP
                    EXECUTE format('SELECT count(*) FROM %s', it.key) INTO found;
                    IF found <> it.value THEN
                        RAISE EXCEPTION 'the table % has % rows instead of %', it.key, found, it.value;
                    END IF;
                END LOOP;
                FOR it IN SELECT fault FROM pippin_shape_faults() AS fault LOOP
                    RAISE EXCEPTION 'row-level security is not as it was: %', it.fault;
                END LOOP;
                FOR it IN SELECT oid::regclass AS name FROM pg_class
                    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
                LOOP
                    EXECUTE format('ANALYZE %s', it.name);
                END LOOP;
            END
            $$;\(last)
            COMMIT;

            """
        )
    }
}
