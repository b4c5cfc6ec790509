import Postgres
import TestDatabase
import Testing

/// Reads the catalogue of a migrated database, so that a table added later is judged too.
@Suite struct `The wall between teams` {
    /// One that nobody writes to.
    private static let database = Result { try TestDatabase.clone() }

    private func catalogue(_ statement: String) throws -> [[String?]] {
        try AdminConnection(to: Self.database.get()).execute(statement, [])
    }

    @Test func `stands around every table that has a team`() throws {
        let tables = try catalogue(
            """
            SELECT c.relname, c.relrowsecurity::text, (
                SELECT string_agg(p.polcmd::text || ' ' || pg_get_expr(p.polqual, p.polrelid), '; ')
                FROM pg_policy p
                WHERE p.polrelid = c.oid AND 'pippin_app'::regrole = ANY (p.polroles)
                    AND p.polname NOT IN ('target_reads', 'target_answers', 'sender')
            )
            FROM pg_class c
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                AND EXISTS (
                    SELECT FROM pg_attribute a
                    WHERE a.attrelid = c.oid AND a.attname = 'team_id' AND NOT a.attisdropped
                )
            """)

        #expect(tables.count > 20)
        for table in tables {
            let (name, isWalled, policies) = (table[0] ?? "", table[1], table[2])
            #expect(isWalled == "true", "\(name) has no row-level security")
            // `*` is for every command; registry_versions is written by a trigger alone, so `r` is all it has.
            let expected = name == "registry_versions" ? "r" : "*"
            #expect(policies == "\(expected) (team_id = pippin_team())", "\(name)")
        }
    }

    /// Without this the owner of the tables, as whom a connection runs that has lost its role, would pass.
    @Test func `S22, V49: holds the owner of the tables as well`() throws {
        let strays = try catalogue(
            """
            SELECT c.relname FROM pg_class c
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relrowsecurity
                AND NOT (c.relforcerowsecurity AND 2 = (
                    SELECT count(*) FROM pg_policy p
                    WHERE p.polrelid = c.oid AND p.polname = CASE WHEN p.polpermissive THEN 'owner' ELSE 'owner_held' END
                        AND p.polcmd = '*' AND p.polroles = ARRAY[c.relowner]
                        AND pg_get_expr(p.polqual, p.polrelid) = 'pippin_owner_acts()'
                        AND pg_get_expr(p.polwithcheck, p.polrelid) = 'pippin_owner_acts()'
                ))
            """)

        #expect(strays.isEmpty)
    }

    @Test func `lets nobody write a row of another team`() throws {
        let policies = try catalogue(
            """
            SELECT polrelid::regclass::text FROM pg_policy
            WHERE 'pippin_app'::regrole = ANY (polroles) AND polcmd <> 'r'
                AND polname NOT IN ('target_answers', 'sender')
                AND pg_get_expr(polwithcheck, polrelid) IS DISTINCT FROM '(team_id = pippin_team())'
            """)

        #expect(policies.isEmpty)
    }

    /// Two teams speak through the rows of a transfer, and through nothing else.
    @Test func `has these gates between two teams`() throws {
        let gates = try catalogue(
            """
            SELECT polrelid::regclass::text || ' ' || polname || ' ' || polcmd::text FROM pg_policy
            WHERE 'pippin_app'::regrole = ANY (polroles) AND polname <> 'team'
            ORDER BY 1
            """)

        #expect(
            gates.map { $0[0] } == [
                "app_transfers target_answers w", "app_transfers target_reads r", "transferred_people sender a",
            ])
    }

    /// A plan that is made for any team takes an index over fewer columns for as good as the key, and then reads all that
    /// one big team has under them.
    @Test func `has no index that stands in for a primary key without its last columns`() throws {
        let shorter = try catalogue(
            """
            SELECT i.indexrelid::regclass::text
            FROM pg_index i
            JOIN pg_class c ON c.oid = i.indrelid AND c.relnamespace = 'public'::regnamespace AND NOT c.relispartition
            JOIN pg_index k ON k.indrelid = i.indrelid AND k.indisprimary
            WHERE i.indpred IS NULL AND i.indnatts < k.indnatts AND i.indkey::int2[] <@ k.indkey::int2[]
            ORDER BY 1
            """)
        // One domain belongs to at most five Service IDs of an App ID.
        #expect(shorter.map { $0[0] } == ["service_domains_domain"])
    }

    /// But for what is read across teams by the system, or purged by time.
    @Test func `begins every primary key and index of a walled table with the team`() throws {
        let strays = try catalogue(
            """
            SELECT c.relname || '.' || i.indexrelid::regclass::text
            FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
            WHERE c.relnamespace = 'public'::regnamespace AND c.relrowsecurity AND c.relkind IN ('r', 'p')
                AND i.indkey[0] IS DISTINCT FROM (
                    SELECT attnum FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'team_id'
                )
            ORDER BY 1
            """)
        #expect(
            strays.map { $0[0] } == [
                "app_transfers.app_transfers_accepted_age", "app_transfers.app_transfers_age",
                "app_transfers.app_transfers_ended", "app_transfers.app_transfers_taken",
                "app_transfers.app_transfers_taken_at", "app_transfers.app_transfers_target_key",
                "app_transfers.app_transfers_waiting", "audit_people.audit_people_member",
                "daily_counts.daily_counts_age", "deletion_receipts.deletion_receipts_created_at",
                "domains.domains_check_due_at", "email_sources.email_sources_check_due_at",
                "ended_clients.ended_clients_ended_at", "invitations.invitations_token_hash_key",
                "jobs.jobs_created_at", "jobs.jobs_due", "jobs.jobs_keep_until", "jobs.jobs_kind", "jobs.jobs_state",
                "limits.limits_window_ends_at", "mailed_links.mailed_links_expires_at", "memberships.memberships_sub",
                "native_handovers.native_handovers_created_at", "not_befores.not_befores_of_deleted",
                "notifications.notifications_age", "registry_versions.registry_versions_changed_at",
                "revoked_tokens.revoked_tokens_pkey", "sessions.sessions_expires_at", "teams.teams_created_at",
                "teams.teams_is_system_key", "teams.teams_name", "test_sign_ins.test_sign_ins_created_at",
                "transferred_people.transferred_people_expires_at",
                "upstream_announcements.upstream_announcements_named",
                "upstream_announcements.upstream_announcements_nameless",
                "upstream_notifications.upstream_notifications_received_at", "upstream_requests.upstream_requests_over",
                "upstream_requests.upstream_requests_waiting", "upstream_tokens.upstream_tokens_settled_at",
                "upstream_unlinks.upstream_unlinks_recorded_at",
            ])
    }

    @Test func `cannot be walked around through a partition or a table without a wall`() throws {
        let grants = try catalogue(
            """
            SELECT c.relname FROM pg_class c, aclexplode(c.relacl) acl
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
                AND acl.grantee IN ('pippin_app'::regrole, 0) AND NOT c.relrowsecurity
            """)

        #expect(grants.isEmpty)
    }

    @Test func `binds both roles`() throws {
        let roles = try catalogue(
            """
            SELECT rolname FROM pg_roles
            WHERE rolname IN ('pippin_app', 'pippin_system')
                AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb)
            """)
        let owned = try catalogue(
            "SELECT relname FROM pg_class WHERE relowner IN ('pippin_app'::regrole, 'pippin_system'::regrole)")
        let memberships = try catalogue(
            """
            SELECT roleid::regrole::text FROM pg_auth_members
            WHERE member IN ('pippin_app'::regrole, 'pippin_system'::regrole)
            """)

        #expect(roles.isEmpty)
        #expect(owned.isEmpty)
        #expect(memberships.isEmpty)
    }

    @Test func `has one gate for the system, of this width`() throws {
        let grants = try catalogue(
            """
            SELECT c.relname || ' ' || string_agg(acl.privilege_type, ' ' ORDER BY acl.privilege_type)
            FROM pg_class c, aclexplode(c.relacl) acl
            WHERE acl.grantee IN ('pippin_system'::regrole, 0) AND c.relnamespace = 'public'::regnamespace
            GROUP BY c.relname ORDER BY 1
            """)

        #expect(
            grants.map { $0[0] } == [
                "audit_chains SELECT", "audit_unsealed SELECT", "copies SELECT",
                "heartbeats DELETE INSERT SELECT UPDATE", "memberships SELECT", "registry_versions SELECT",
                "setup_links DELETE INSERT SELECT UPDATE", "teams SELECT",
            ])
    }

    @Test func `lets the system read these columns alone of tables with personal data`() throws {
        let grants = try catalogue(
            """
            SELECT c.relname || ' ' || acl.privilege_type || ' ' || string_agg(a.attname, ' ' ORDER BY a.attnum)
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid, aclexplode(a.attacl) acl
            WHERE acl.grantee IN ('pippin_system'::regrole, 0) AND c.relnamespace = 'public'::regnamespace
            GROUP BY c.relname, acl.privilege_type ORDER BY 1
            """)

        #expect(
            grants.map { $0[0] } == [
                "domains SELECT team_id check_due_at", "email_sources SELECT team_id check_due_at",
                "invitations SELECT team_id invitation_id token_hash expires_at",
                "jobs SELECT team_id job_id kind priority state attempts created_at due_at worker finished_at",
                "jobs UPDATE attempts due_at worker", "pippin_migrations SELECT number name shape runs_with",
                "retention SELECT name", "upstream_requests SELECT team_id answered_at settled_at settle_at",
                "upstream_tokens SELECT team_id state validate_at", "user_search_changes SELECT team_id",
            ])
    }

    @Test func `has gates in functions for these alone`() throws {
        let functions = try catalogue(
            """
            SELECT p.proname || ' ' || COALESCE((
                SELECT string_agg(
                    CASE grantee WHEN 0 THEN 'public' ELSE grantee::regrole::text END, ' ' ORDER BY grantee
                )
                FROM aclexplode(COALESCE(p.proacl, acldefault('f', p.proowner))) WHERE grantee <> p.proowner
            ), 'nobody')
            FROM pg_proc p
            WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef ORDER BY 1
            """)

        #expect(
            functions.map { $0[0] } == [
                "pippin_apply_audit_retention pippin_app", "pippin_apply_retention pippin_system",
                "pippin_audit_added nobody", "pippin_audit_person_deleted nobody", "pippin_client_created nobody",
                "pippin_client_deleted nobody", "pippin_drop_partitions pippin_system", "pippin_empty_team pippin_app",
                "pippin_empty_time_partition pippin_system", "pippin_keep_traces pippin_system",
                "pippin_lock_open_teams pippin_app", "pippin_make_partitions pippin_system",
                "pippin_purge_ended_clients pippin_system", "pippin_purge_refresh_tokens pippin_system",
                "pippin_recall_transferred nobody", "pippin_registry_changed nobody", "pippin_team_is_open pippin_app",
                "pippin_token_revoked nobody",
            ])
    }

    /// Else whoever calls them chooses which tables they mean.
    @Test func `V49: has gates that look for names where they were made alone`() throws {
        let strays = try catalogue(
            """
            SELECT proname FROM pg_proc
            WHERE pronamespace = 'public'::regnamespace AND prosecdef
                AND NOT COALESCE(proconfig, '{}') @> ARRAY['search_path=public, pg_temp']
            """)

        #expect(strays.isEmpty)
    }

    @Test func `lets no event be changed or removed`() throws {
        let grants = try catalogue(
            """
            SELECT string_agg(acl.privilege_type, ' ' ORDER BY acl.privilege_type)
            FROM pg_class c, aclexplode(c.relacl) acl
            WHERE c.relname = 'audit_events' AND acl.grantee <> c.relowner
            """)

        #expect(grants == [["INSERT SELECT"]])
    }

    @Test(arguments: ["", "SET pippin.team = ''"])
    func `makes a statement without a team an error, not an empty answer`(setting: String) async throws {
        try await withDatabase { conninfo in
            let connection = try AdminConnection(to: conninfo)
            try connection.execute("SET ROLE pippin_app; \(setting)")

            do throws(AdminFailure) {
                try connection.execute("SELECT FROM teams")
                Issue.record("no error")
            } catch {
                guard case .refused(let sqlState, let message, _) = error else {
                    return #expect(Bool(false), "\(error)")
                }
                #expect(sqlState == "42501" && message == "no team is set for this transaction")
            }
        }
    }
}
