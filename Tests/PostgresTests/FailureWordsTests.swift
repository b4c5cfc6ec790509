import Core
import Postgres
import TestDatabase
import TestSupport
import Testing

/// What failures of the database say to people.
@Suite struct `A failure of the database` {
    private static let meanings = [
        "28P01": "refuses the password", "28000": "refuses the user", "3D000": "no database of this name",
        "53300": "no connection left", "53100": "disk", "57P03": "takes no connections yet", "42501": "lacks a right",
        "55P03": "another session holds", "08006": "connection to the database was lost", "58P01": "misses a file",
    ]

    private func expectWords(_ error: any Error, state: String, _ meaning: String?) {
        let words = "\(describing: error)"
        #expect(words.contains(state) && words.contains("as made up"), "\(words)")
        if let meaning { #expect(words.prefix { $0 != ":" }.contains(meaning), "\(words)") }
        #expect(!words.contains("refused(") && !words.contains("sqlState"), "\(words)")
    }

    @Test func `says what the code means, and PostgreSQL's own words`() async throws {
        try await withConnectedDatabase { environment in
            for (state, meaning) in Self.meanings.map({ ($0.key, Optional($0.value)) }) + [("23505", nil)] {
                let text = "DO $$ BEGIN RAISE EXCEPTION 'as made up' USING ERRCODE = '\(state)'; END $$"
                do throws(AdminFailure) { try AdminConnection(to: environment.conninfo).execute(text) } catch {
                    expectWords(error, state: state, meaning)
                }
                try environment.admin(
                    """
                    CREATE OR REPLACE FUNCTION made_up() RETURNS void LANGUAGE plpgsql
                    AS $$ BEGIN RAISE EXCEPTION 'as made up' USING ERRCODE = '\(state)'; END $$
                    """)
                do throws(PostgresFailure) {
                    _ = try await environment.system.query("SELECT made_up()")
                    Issue.record("no failure")
                } catch { expectWords(error, state: state, meaning) }
                try await waitUntil { environment.system.isReady }
            }
        }
    }
}
