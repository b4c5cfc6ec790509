import TestDatabase
import TestSupport
import Testing

@testable import Postgres

/// What a database, or the role that logs in, may say of the sessions that it gives.
@Suite struct `A session` {
    @Test func `V85: has the settings that statements take for granted, whatever the database says`() async throws {
        try await withDatabase { conninfo in
            try TestDatabase.makeOdd(conninfo)
            let names = TestDatabase.oddSettings.map(\.0)
            let shared = try await withPool(conninfo, { ($0.role, $0.walledTable) = ("pippin_app", "teams") }) {
                database, _ async throws in
                let rows = try await database.query("SELECT current_setting(name) FROM unnest(\(names)) AS name")
                return try rows.map { row throws in
                    var row = row
                    return try row.next(String.self)
                }
            }
            let admin = try AdminConnection(to: conninfo)
            for ((name, odd), value) in zip(TestDatabase.oddSettings, shared) {
                let read = "SELECT current_setting('\(name)')"
                #expect(value != odd, "\(name)")
                #expect(try admin.execute(read, []) != [[odd]], "\(name)")
                guard name != "client_encoding" else { continue }
                // It is what the session would have had.
                try admin.execute("RESET \(name)")
                #expect(try admin.execute(read, []) == [[odd]], "\(name)")
            }
        }
    }

    @Test func `V85: has settings each of which is tried with another value`() {
        let set = Session.settings.text.split(separator: "('").dropFirst().compactMap { $0.split(separator: "'").first }
        let tried = TestDatabase.oddSettings.map(\.0) + ["transaction_timeout"]
        #expect(Set(set.map(String.init)).subtracting(tried) == [] && set.count > 20)
    }

    @Test(arguments: [
        ("ENCODING 'LATIN1' LOCALE 'C'", "UTF8"), ("ENCODING 'SQL_ASCII' LOCALE 'C'", "UTF8"),
        ("ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'tr'", "Turkish"),
        ("ENCODING 'UTF8' LOCALE 'C'", nil), ("ENCODING 'UTF8' LOCALE 'C.UTF-8'", nil),
        ("ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'und'", nil),
    ]) func `V85: is used on databases in UTF8 whose locale folds ASCII as ASCII`(options: String, fault: String?)
        async throws
    {
        let conninfo = try TestDatabase.make(options)
        let said = try AdminConnection(to: conninfo).fault
        #expect((said == nil) == (fault == nil) && said?.contains(fault ?? "") != false, "\(said ?? "nothing")")
        try await withPool(conninfo) { database, _ async throws in
            try await waitUntil { database.isReady || database.problem.hasPrefix("database_unsuitable: ") }
            #expect(database.isReady == (fault == nil))
        }
        guard fault != nil else { return try DatabaseConfiguration(connection: conninfo).verify() }
        #expect(throws: AdminFailure.self) { try DatabaseConfiguration(connection: conninfo).verify() }
    }
}
