import Core
import Testing

@testable import Platform

@Suite struct `An export of the audit log` {
    private func export(
        from environment: AuditEnvironment, as format: AuditExportFormat, _ filter: AuditFilter = AuditFilter(),
        in team: TeamID = .acme
    ) async throws -> String {
        let export = try await AuditExportStore(environment.database).begin(
            filter, asked: ["q": "acme"], as: format, in: team, by: .member(AuditEnvironment.ada),
            from: AuditEnvironment.origin)
        var bytes: [UInt8] = []
        while let piece = try await export.next() { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `holds every event that fits once, the newest first, behind its own`() async throws {
        try await withAuditEnvironment { environment in
            try seedMany(1234, environment)
            let filter = AuditFilter { $0.action = "key.revoked" }

            let all = try await export(from: environment, as: .ndjson).split(separator: "\n")
            let some = try await export(from: environment, as: .ndjson, filter).split(separator: "\n")

            #expect(all.count == 1235 && some.count == 25)
            for lines in [all, some] {
                let events = try lines.map { try JSON.decode(JSONValue.self, from: Array($0.utf8)) }
                #expect(events[0]["action"]?.string == "audit_log.exported")
                #expect(events[0]["after"]?["filter"]?["q"]?.string == "acme")
                let moments = events.dropFirst().compactMap { $0["at"]?.string }
                #expect(moments == moments.sorted(by: >) && Set(moments).count == events.count - 1)
            }
        }
    }

    @Test func `names the head of the chain`() async throws {
        try await withAuditEnvironment { environment in
            try await environment.record(AuditEnvironment.event())
            try environment.admin(
                """
                INSERT INTO audit_chains (team_id, position, code) VALUES ('ACMETEAM01', 7, '\\xc0de'::bytea)
                """)

            let line = try #require(try await export(from: environment, as: .ndjson).split(separator: "\n").first)

            let event = try JSON.decode(JSONValue.self, from: Array(line.utf8))
            #expect(event["after"]?["sealedPosition"]?.integer == 7)
            #expect(event["after"]?["sealedCode"]?.string == "c0de")
        }
    }

    @Test func `is one line an event as comma-separated values, with names`() async throws {
        try await withAuditEnvironment { environment in
            try environment.addPerson(AuditEnvironment.ada, "Ada")
            try await environment.record(AuditEnvironment.event(after: ["description": "He said \"hi\",\nand left"]))

            let lines = try await export(from: environment, as: .csv).split(separator: "\r\n")

            #expect(lines.count == 3)
            #expect(lines[0].hasPrefix("\u{FEFF}at,event_id,actor_kind,actor,actor_name,"))
            #expect(lines[2].contains("\"Ada\",\"ada@acme.example\",\"app_id.updated\""))
            #expect(lines[2].contains(#""{""description"": ""He said \""hi\"",\nand left""}""#))
        }
    }

    @Test func `begins with a byte order mark where Excel reads it, and with none where it is JSON`() async throws {
        try await withAuditEnvironment { environment in
            try await environment.record(AuditEnvironment.event())
            for (format, begins) in [(AuditExportFormat.csv, true), (.ndjson, false)] {
                let octets = Array(try await export(from: environment, as: format).utf8)
                #expect(octets.starts(with: [0xEF, 0xBB, 0xBF]) == begins)
                #expect(octets.count { $0 == 0xEF } == (begins ? 1 : 0))
            }
        }
    }

    @Test(arguments: [
        ("=1+1", "\"'=1+1\""), ("+1", "\"'+1\""), ("-1", "\"'-1\""), ("@SUM(A1)", "\"'@SUM(A1)\""), ("\tx", "\"'\tx\""),
        ("\r", "\"'\r\""), ("a=1", "\"a=1\""), ("", "\"\""), ("say \"x\"", "\"say \"\"x\"\"\""), (" a", "\" a\""),
        ("1 + 1", "\"1 + 1\""),
        // What a spreadsheet passes over in front of the sign.
        (" =1+1", "\"' =1+1\""), ("\u{A0}\u{3000}=1", "\"'\u{A0}\u{3000}=1\""), ("\u{0}=1", "\"'\u{0}=1\""),
        ("\u{FEFF}=1", "\"'\u{FEFF}=1\""), ("\u{200B}@A1", "\"'\u{200B}@A1\""), (" \t x", "\"' \t x\""),
        (" \r\n=1", "\"' \r\n=1\""), ("\"=1", "\"'\"\"=1\""), ("'=1", "\"''=1\""),
        // The signs in full width.
        ("\u{FF1D}1+1", "\"'\u{FF1D}1+1\""), ("\u{FF0B}1", "\"'\u{FF0B}1\""), ("\u{FF0D}1", "\"'\u{FF0D}1\""),
        ("\u{FF20}A1", "\"'\u{FF20}A1\""),
    ]) func `S21: holds nothing that a spreadsheet would run`(field: String, written: String) {
        var bytes: [UInt8] = []
        AuditCSV.append(field, to: &bytes)
        #expect(bytes == Array(written.utf8))
    }

    @Test func `holds nothing of another team`() async throws {
        try await withAuditEnvironment { environment in
            try await environment.record(AuditEnvironment.event(on: .init("app_id", "com.acme.secret")))

            let text = try await export(from: environment, as: .csv, in: .rival)

            #expect(!text.contains("com.acme.secret") && text.split(separator: "\r\n").count == 2)
        }
    }
}
