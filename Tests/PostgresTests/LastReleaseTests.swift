import Glibc
import Postgres
import TestDatabase
import TestSupport
import Testing

/// What the last release asks of the database, which it does on this release's schema, too, while both are running.
///
/// `scripts/statements` writes the list at a release. A record is a line with role and types, the statement, and a semicolon.
@Suite struct `Statements of the last release` {
    private static let list =
        "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/statements-LAST.sql"

    private static func records(_ file: String) throws -> [String] {
        let text = try shell("cat \(file)")
        return Set(text.split(separator: "\n;\n").map(String.init)).sorted()
    }

    /// Why a statement cannot be prepared; nil if it can.
    private static func fault(_ record: String, _ connection: borrowing AdminConnection) throws -> String? {
        let lines = record.split(separator: "\n", maxSplits: 1)
        let words = lines[0].split(separator: " ").dropFirst()
        guard let role = words.first, lines.count == 2 else { return "not a record: \(record)" }
        var types: [String] = []
        for type in words.dropFirst() {
            types.append(try connection.execute("SELECT $1::oid::regtype", [String(type)])[0][0] ?? "")
        }
        do {
            let list = types.isEmpty ? "" : "(\(types.joined(separator: ", ")))"
            try connection.execute(
                "BEGIN; SET LOCAL ROLE \(role); PREPARE last \(list) AS \(lines[1]); DEALLOCATE last; COMMIT")
            return nil
        } catch {
            try connection.execute("ROLLBACK")
            return "\(error)\n\(record)"
        }
    }

    @Test func `can be prepared under their roles on this schema`() throws {
        let connection = try AdminConnection(to: TestDatabase.clone())
        if let noted = unsafe getenv("PIPPIN_KEEP_STATEMENTS") {
            // Tests have statements of their own, which not every schema has tables for.
            var kept: [String] = []
            for record in try Self.records(unsafe String(cString: noted)) {
                guard ["-- pippin_app", "-- pippin_system"].contains(where: { record.hasPrefix($0) }) else { continue }
                if try Self.fault(record, connection) == nil { kept.append(record) }
            }
            let file = unsafe fopen(Self.list, "w")
            for record in kept { unsafe fputs("\(record)\n;\n", file) }
            unsafe fclose(file)
        }
        let records = try Self.records(Self.list)
        #expect(records.count > 500)
        #expect(records.reduce(0) { $0 + $1.utf8.count + 3 } <= 500_000)
        for record in records {
            let fault = try Self.fault(record, connection)
            #expect(fault == nil)
        }
    }

    @Test func `fail where a column has got another name`() throws {
        let connection = try AdminConnection(to: TestDatabase.clone())
        try connection.execute("ALTER TABLE users RENAME given_name TO first_name")
        var faults = 0
        for record in try Self.records(Self.list) where record.contains("given_name") {
            if try Self.fault(record, connection) != nil { faults += 1 }
        }
        #expect(faults > 0)
    }
}
