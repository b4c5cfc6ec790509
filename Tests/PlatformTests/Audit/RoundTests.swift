import Postgres
import Synchronization
import Testing

@testable import Platform

@Suite struct `The rounds over all logs` {
    @Test func `seal what waits and tell the heads`() async throws {
        try await withSealed { sealed in
            try await sealed.environment.record(AuditEnvironment.event(), in: .rival)
            try seedMany(600, sealed.environment)
            let heads = Mutex<[AuditHead]>([])

            try await sealed.rounds.seal { head in heads.withLock { $0.append(head) } }

            #expect(heads.withLock { $0 }.map(\.position).sorted() == [1, 610])
            #expect(try sealed.environment.count("audit_unsealed") == 0)
        }
    }

    @Test func `delete what is too old behind a checkpoint, and the rest is still whole`() async throws {
        try await withSealed { sealed in
            try makeOldEvents(sealed.environment)
            try sealed.environment.keepEvents(30)
            try await sealed.rounds.seal { _ in }

            try await sealed.rounds.applyRetention { _, findings in Issue.record("\(findings)") }
            try await sealed.rounds.seal { _ in }

            let left = try sealed.environment.admin("SELECT DISTINCT target FROM audit_events WHERE target LIKE 'old%'")
            #expect(left.isEmpty)
            #expect(try sealed.environment.admin("SELECT FROM audit_words WHERE word = 'old'").isEmpty)
            #expect(try sealed.environment.admin("SELECT FROM pg_class WHERE relname = 'audit_events_202001'").isEmpty)
            let report = try await sealed.verification.verify(in: .acme)
            #expect(report.checkpoint == 600 && report.findings.isEmpty)
            let actions = try await sealed.environment.store.list(in: .acme, limit: 1).map(\.action)
            #expect(actions == ["audit_log.shortened"])

            try sealed.environment.admin("UPDATE audit_checkpoints SET code = sha256('x')")
            #expect(try await sealed.findings().map(\.kind) == [.checkpoint, .changed])
        }
    }

    @Test func `V48: delete nothing of the last thirty days, whatever the database says, and tell what went`()
        async throws
    {
        try await withSealed { sealed in
            try makeOldEvents(sealed.environment)
            try await sealed.rounds.seal { _ in }
            try sealed.environment.admin("ALTER TABLE teams DROP CONSTRAINT teams_audit_retention_days_check")
            try sealed.environment.keepEvents(-1)
            let told = Mutex<[(events: Int, through: Int, days: Int)]>([])

            try await sealed.rounds.applyRetention(telling: { _, outcome in
                told.withLock { $0.append((outcome.removed, outcome.through, outcome.days)) }
            }) { _, findings in Issue.record("\(findings)") }

            #expect(told.withLock { $0.count } == 1)
            #expect(told.withLock { $0.first.map { $0 == (600, 600, -1) } } == true)
            let event = try sealed.environment.admin(
                """
                SELECT after->>'auditRetentionDays', (SELECT count(*) FROM audit_seals)
                FROM audit_events WHERE action = 'audit_log.shortened'
                """)
            #expect(event == [["-1", "10"]])
        }
    }

    @Test func `delete nothing that is young enough, whoever asks`() async throws {
        try await withSealed { sealed in
            let retention = AuditRetentionStore(sealed.environment.database, keys: sealed.keys)
            #expect(try await retention.applyRetention(in: .acme).removed == 0)
            try sealed.environment.admin(
                """
                INSERT INTO audit_checkpoints (team_id, position, code, latest_at, made_at, key_id, signature)
                VALUES ('ACMETEAM01', 5, '', now(), now(), 'one', sha256('x'))
                """)

            await #expect(throws: (any Error).self) {
                try await sealed.environment.database.query("SELECT pippin_apply_audit_retention(5)", in: .acme)
            }
            #expect(try sealed.environment.count("audit_events", in: .acme) == 10)
        }
    }

    @Test func `C9: verify every log daily, and tell of the one that is not whole`() async throws {
        try await withSealed { sealed in
            let environment = sealed.environment
            try await environment.record(AuditEnvironment.event(), in: .rival)
            try await sealed.seals.seal(in: .rival)
            let chains = AuditChainStore(environment.database)
            let told = Mutex<[TeamID: Int]>([:])
            func round() async throws {
                try environment.admin("UPDATE audit_chains SET verified_at = verified_at - interval '1 day'")
                try await sealed.rounds.verifyAll { team, findings in told.withLock { $0[team] = findings.count } }
            }

            try await round()
            #expect(try await chains.find(in: .acme).verifiedPosition == 10)
            #expect(try await chains.find(in: .rival).verifiedPosition == 1)
            #expect(try environment.count("audit_unsealed") == 0, "nobody asked, so there is no event")

            try environment.admin("UPDATE audit_events SET target = 'x' WHERE target = 'com.acme.app4'")
            // What was verified within the hour is not read again.
            try await sealed.rounds.verifyAll { _, _ in Issue.record("verified twice") }
            await #expect(throws: BrokenAuditLog.self) { try await round() }

            #expect(told.withLock { $0 } == [.acme: 1])
            #expect(try await chains.find(in: .acme).findings.map(\.kind) == [.changed])
            #expect(try await chains.find(in: .rival).findings.isEmpty)
            let events = try environment.admin(
                "SELECT team_id, outcome FROM audit_events WHERE action = 'audit_log.verified'")
            #expect(events == [["ACMETEAM01", "refused"]])
        }
    }
}
