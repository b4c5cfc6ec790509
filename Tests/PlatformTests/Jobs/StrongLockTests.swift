import Core
import Platform
import Postgres
import TestSupport
import Testing

/// Work that makes, drops or empties tables, and so queues everybody behind whoever reads them for long.
@Suite struct `A job that wants a table's strong lock` {
    /// One function that servers call, what it finds to do, and what is there when it has done that.
    private struct Work {
        let call: SQL
        let preparation: String
        let proof: String
    }

    private static let month = "to_char(now() AT TIME ZONE 'UTC' + interval '2 months', 'YYYYMM')"
    private static let week = "extract(epoch FROM now())::bigint / 604800"

    /// Makes a statement of a text that is computed.
    private static func run(_ text: String) -> String { "DO $$ BEGIN EXECUTE \(text); END $$" }

    private static let works = [
        "pippin_make_partitions": Work(
            call: "SELECT pippin_make_partitions()",
            preparation: run("'DROP TABLE audit_events_' || \(month) || ', audit_words_' || \(month)"),
            proof: "to_regclass('audit_events_' || \(month)) IS NOT NULL"),
        "pippin_drop_partitions": Work(
            call: "SELECT pippin_drop_partitions()",
            preparation: """
                CREATE TABLE audit_events_200001 PARTITION OF audit_events
                FOR VALUES FROM ('2000-01-01 00:00:00+00') TO ('2000-02-01 00:00:00+00')
                """, proof: "to_regclass('audit_events_200001') IS NULL"),
        "pippin_keep_traces": Work(
            call: "SELECT pippin_keep_traces()",
            preparation: run("'DROP TABLE traces_' || (\(week) + 2) || ', trace_events_' || (\(week) + 2)"),
            proof: "to_regclass('traces_' || (\(week) + 2)) IS NOT NULL"),
        "pippin_empty_time_partition": Work(
            call: """
                SELECT pippin_empty_time_partition(((extract(epoch FROM now())::bigint / 900 + 2) % 4)::integer)
                """,
            preparation: """
                CREATE TABLE was AS SELECT relfilenode FROM pg_class WHERE relname ~ '^interactions_[0-3]$'
                """, proof: "EXISTS (SELECT FROM was WHERE relfilenode NOT IN (SELECT relfilenode FROM pg_class))"),
    ]

    /// Every table of Pippin's, as a dump reads them.
    private static let tables = """
        SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
        """

    @Test func `waits for it half a second, whatever the job`() async throws {
        try await withJobEnvironment { environment in
            let functions = try environment.admin(
                """
                SELECT proname, coalesce(proconfig, '{}') @> ARRAY['lock_timeout=500ms'] AND prosrc !~ 'lock_timeout'
                FROM pg_proc
                WHERE pronamespace = 'public'::regnamespace AND prosecdef
                    AND prosrc ~ '\\m(CREATE|DROP|ALTER|TRUNCATE|LOCK|CLUSTER|REINDEX|REFRESH)\\M'
                    AND (has_function_privilege('pippin_system', oid, 'EXECUTE')
                        OR has_function_privilege('pippin_app', oid, 'EXECUTE'))
                ORDER BY proname
                """)

            #expect(functions.map { $0[0] } == Self.works.keys.sorted())
            #expect(functions.allSatisfy { $0[1] == "t" })
        }
    }

    @Test(arguments: works.keys.sorted()) func `gives it up for a reader, holds nobody up, and is done later`(
        name: String
    ) async throws {
        let work = try #require(Self.works[name])
        try await withJobEnvironment { environment in
            let lines = Notes()
            try environment.admin(work.preparation)
            let reader = try RowHolder(
                at: environment.conninfo,
                "LOCK TABLE \(try environment.admin(Self.tables)[0][0] ?? "") IN ACCESS SHARE MODE")
            let worker = environment.worker(log: Log(threshold: .info) { lines.note(line: $0) }) { handlers in
                handlers.recurring("test.lock", every: .seconds(3600)) {
                    try await environment.systemDatabase.query(work.call)
                }
            }
            let writer = try AdminConnection(to: environment.conninfo)
            let store = RecurringJobStore(environment.database)

            try await worker.whileRunning(on: environment.loop) {
                // Each of these statements wants what an insert wants, and comes to its end while the reader reads on.
                try await waitUntil {
                    try writer.execute(
                        "BEGIN; LOCK TABLE audit_events, traces, interactions IN ROW EXCLUSIVE MODE; COMMIT")
                    return lines.all.contains { $0.contains("job.postponed") }
                }
                try await waitUntil { try await store.list().first?.ranAt != nil }
                let job = try #require(try await store.list().first)
                #expect(job.problem == nil && job.worker == nil)
                #expect(!lines.all.contains { $0.contains("job.failed") })
                #expect(try environment.admin("SELECT (\(work.proof))::text") == [["false"]])

                try reader.commit()
                try environment.forward("1 hour")
                try await waitUntil { try environment.admin("SELECT (\(work.proof))::text") == [["true"]] }
            }
        }
    }
}
