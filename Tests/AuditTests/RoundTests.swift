import Domain
import Postgres
import Synchronization
import Testing

@testable import Audit

@Suite struct `The rounds over all logs` {
    @Test func `seal what waits and tell the heads`() async throws {
        try await withSealed { sealed in
            try await sealed.world.record(World.event(), in: World.rival)
            try seedMany(600, sealed.world)
            let heads = HeadList()
            let rounds = AuditRounds(sealed.world.database, system: sealed.world.system, keys: sealed.keys)

            try await rounds.seal { heads.append($0) }

            #expect(heads.all.map(\.position).sorted() == [1, 610])
            #expect(try sealed.world.admin("SELECT FROM audit_unsealed").isEmpty)
        }
    }

    @Test func `delete what is too old behind a checkpoint, and the rest is still whole`() async throws {
        try await withSealed { sealed in
            try makeOldEvents(sealed.world)
            try sealed.world.admin("UPDATE teams SET audit_retention_days = 30")
            let rounds = AuditRounds(sealed.world.database, system: sealed.world.system, keys: sealed.keys)
            try await rounds.seal { _ in }

            try await rounds.shorten { _, findings in Issue.record("\(findings)") }
            try await rounds.seal { _ in }

            let left = try sealed.world.admin(
                "SELECT DISTINCT target FROM audit_events WHERE target LIKE 'old%'"
            )
            #expect(left.isEmpty)
            #expect(try sealed.world.admin("SELECT FROM audit_words WHERE word = 'old'").isEmpty)
            #expect(
                try sealed.world.admin("SELECT FROM pg_class WHERE relname = 'audit_events_202001'").isEmpty
            )
            let report = try await sealed.verification.verify(in: World.acme)
            #expect(report.checkpoint == 600 && report.findings.isEmpty)
            let actions = try await sealed.world.store.list(in: World.acme, limit: 1).map(\.action)
            #expect(actions == ["audit_log.shortened"])

            try sealed.world.admin("UPDATE audit_checkpoints SET code = sha256('x')")
            #expect(try await sealed.findings().map(\.kind) == [.checkpoint, .changed])
        }
    }

    @Test func `delete nothing that is young enough, whoever asks`() async throws {
        try await withSealed { sealed in
            let retention = AuditRetentionStore(sealed.world.database, keys: sealed.keys)
            #expect(try await retention.shorten(in: World.acme).removed == 0)
            try sealed.world.admin(
                """
                INSERT INTO audit_checkpoints (team_id, position, code, latest_at, made_at, key_id, signature)
                VALUES ('ACMETEAM01', 5, '', now(), now(), 'one', sha256('x'))
                """
            )

            await #expect(throws: (any Error).self) {
                try await sealed.world.database.query("SELECT pippin_shorten_audit(5)", in: World.acme)
            }
            #expect(try sealed.world.count("audit_events") == 10)
        }
    }
}

/// Heads in the order they were told.
private final class HeadList: Sendable {
    private let heads = Mutex<[AuditHead]>([])

    func append(_ head: AuditHead) {
        heads.withLock { $0.append(head) }
    }

    var all: [AuditHead] { heads.withLock { $0 } }
}
