import Core
import Crypto
import Testing

@testable import Platform

/// A sealed log of ten events, and who may try to change it.
struct Sealed {
    let environment: AuditEnvironment
    let ring: KeyRing

    var keys: SealKeys { SealKeys(ring) }
    var seals: AuditSealStore { AuditSealStore(environment.database, keys: keys) }
    var rounds: AuditRounds { AuditRounds(environment.database, system: environment.system, keys: keys) }
    var verification: AuditVerificationStore { AuditVerificationStore(environment.database, keys: keys) }

    func findings(in team: TeamID = .acme) async throws -> [AuditFinding] {
        try await verification.verify(in: team).findings
    }

    /// The place of the event with the n-th seal.
    func place(_ position: Int) throws -> AuditEntry.Place {
        let row = try environment.admin(
            """
            SELECT event_id, (extract(epoch FROM at) * 1000000)::bigint FROM audit_seals
            WHERE team_id = 'ACMETEAM01' AND position = \(position)
            """)[0]
        return AuditEntry.Place(
            at: Timestamp(microseconds: try #require(row[1].flatMap { Int64($0) })), id: try #require(row[0]))
    }
}

func withSealed(_ body: @escaping @Sendable (Sealed) async throws -> Void) async throws {
    try await withAuditEnvironment { environment in
        let sealed = Sealed(environment: environment, ring: KeyRing(current: try MasterKey.generate(id: "one")))
        for number in 1...10 {
            try await environment.record(AuditEnvironment.event(on: .init("app_id", "com.acme.app\(number)")))
        }
        try await sealed.seals.seal(in: .acme)
        try await body(sealed)
    }
}

/// The partitions of January 2020.
func makeJanuary(_ environment: AuditEnvironment) throws {
    for table in ["audit_events", "audit_words"] {
        try environment.admin(
            """
            CREATE TABLE IF NOT EXISTS \(table)_202001 PARTITION OF \(table)
            FOR VALUES FROM ('2020-01-01 00:00:00+00') TO ('2020-02-01 00:00:00+00')
            """)
    }
}

/// Six hundred events of January 2020, sealed before those of today.
func makeOldEvents(_ environment: AuditEnvironment) throws {
    try makeJanuary(environment)
    // As a log would be that began then: what was sealed before is sealed anew.
    try environment.admin("INSERT INTO audit_unsealed SELECT team_id, at, event_id FROM audit_seals")
    try environment.admin("DELETE FROM audit_seals")
    try environment.admin("DELETE FROM audit_chains")
    try environment.admin(
        """
        INSERT INTO audit_events (
            team_id, at, actor_kind, actor, action, target_kind, target, outcome, words
        )
        SELECT 'ACMETEAM01', timestamptz '2020-01-10' + n * interval '1 s', 'system', 'x', 'a.b', 'thing',
            'old' || n, 'succeeded', '{old}'
        FROM generate_series(1, 600) AS n
        """)
}

/// Statements that take events away whose seals lie there, and their seals.
func dropped(_ positions: String) -> [String] {
    [
        "DELETE FROM audit_events WHERE event_id IN (SELECT event_id FROM audit_seals WHERE position \(positions))",
        "DELETE FROM audit_seals WHERE position \(positions)",
    ]
}

/// What the log holds, so that it can be put back after each of many changes.
struct KeptLog {
    private static let tables = [
        "audit_events", "audit_words", "audit_unsealed", "audit_seals", "audit_chains", "audit_checkpoints",
    ]

    private let environment: AuditEnvironment

    init(_ environment: AuditEnvironment) throws {
        self.environment = environment
        for table in Self.tables { try environment.admin("CREATE TABLE kept_\(table) AS TABLE \(table)") }
    }

    func putBack() throws {
        try makeJanuary(environment)
        let copies = Self.tables.map { "DELETE FROM \($0); INSERT INTO \($0) TABLE kept_\($0)" }
        try environment.admin(
            """
            DO $$ BEGIN
                ALTER TABLE audit_events ENABLE TRIGGER USER;
                SET LOCAL session_replication_role = replica;
                \(copies.joined(separator: ";\n"));
            END $$
            """)
    }
}
