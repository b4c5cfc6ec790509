import Core
public import Postgres

/// Verifies a team's log against its seals.
public struct AuditVerificationStore: Sendable {
    private let database: TeamDatabase
    private let keys: SealKeys

    public init(_ database: TeamDatabase, keys: SealKeys) {
        self.database = database
        self.keys = keys
    }

    /// Reads the log from the checkpoint to its head, a batch at a time, and returns the findings.
    public func verify(in team: TeamID) async throws(PostgresFailure) -> AuditReport {
        let rows = try await database.query(
            """
            SELECT c.position, c.code, p.position, p.code, p.latest_at, p.made_at, p.key_id, p.signature
            FROM audit_chains c LEFT JOIN audit_checkpoints p ON p.team_id = c.team_id
            WHERE c.team_id = \(team)
            """, in: team)
        guard var row = rows.first else {
            var check = ChainCheck(team, keys, after: nil)
            try await findUnsealed(&check, in: team)
            return AuditReport(head: nil, checkpoint: nil, findings: check.findings, isTruncated: check.isTruncated)
        }
        let head = AuditHead(team: team, position: try row.next(), code: try row.next())
        var (check, checkpoint) = try begin(&row, team)
        try await follow(&check, to: head)
        try await findUnsealed(&check, in: team)
        return AuditReport(
            head: head, checkpoint: checkpoint?.position, findings: check.findings, isTruncated: check.isTruncated)
    }

    private func begin(_ row: inout Row, _ team: TeamID) throws(PostgresFailure) -> (ChainCheck, Checkpoint?) {
        guard let position: Int = try row.next() else { return (ChainCheck(team, keys, after: nil), nil) }
        let checkpoint = Checkpoint(
            position: position, code: try row.next(), latestAt: try row.next(), madeAt: try row.next())
        let (keyID, signature): (String, [UInt8]) = (try row.next(), try row.next())
        var check = ChainCheck(team, keys, after: checkpoint)
        check.judge(checkpoint, signature: signature, keyID: keyID)
        return (check, checkpoint)
    }

    private func follow(_ check: inout ChainCheck, to head: AuditHead) async throws(PostgresFailure) {
        while check.position < head.position {
            let rows = try await database.query(
                """
                SELECT s.position, s.at, s.event_id, s.sealed_at, s.key_id, s.code,
                    e.event_id IS NOT NULL, \(AuditEntry.bareColumns)
                FROM (
                    SELECT * FROM audit_seals
                    WHERE team_id = \(head.team) AND position > \(check.position) AND position <= \(head.position)
                    ORDER BY position
                    LIMIT \(AuditSealStore.batch)
                ) AS s
                \(AuditEntry.event(at: "s", in: head.team))
                ORDER BY s.position
                """, in: head.team)
            guard !rows.isEmpty else { break }
            for var row in rows {
                let seal = try Seal(&row)
                check.take(seal, try row.next(Bool.self) ? try AuditEntry(&row) : nil)
            }
        }
        check.finish(at: head)
    }

    /// Finds events that neither have a seal nor wait for one, because they were inserted without Pippin.
    ///
    /// Each lookup has a LIMIT, because PostgreSQL plans EXISTS as a question about all seals and reads every one.
    private func findUnsealed(_ check: inout ChainCheck, in team: TeamID) async throws(PostgresFailure) {
        var cursor = AuditEntry.Place(at: Timestamp(microseconds: 0), id: "")
        while true {
            let rows = try await database.query(
                """
                SELECT e.at, e.event_id, (
                    SELECT true FROM audit_seals s
                    WHERE s.team_id = \(team) AND s.at = e.at AND s.event_id = e.event_id LIMIT 1
                ) IS NULL AND (
                    SELECT true FROM audit_unsealed u
                    WHERE u.team_id = \(team) AND u.at = e.at AND u.event_id = e.event_id LIMIT 1
                ) IS NULL
                FROM audit_events e
                WHERE e.team_id = \(team) AND e.at >= \(cursor.at) AND (e.at, e.event_id) > (\(cursor.at), \(cursor.id))
                ORDER BY e.at, e.event_id
                LIMIT 1000
                """, in: team)
            guard !rows.isEmpty else { return }
            for var row in rows {
                cursor = AuditEntry.Place(at: try row.next(), id: try row.next())
                if try row.next(Bool.self) { check.note(AuditFinding(.inserted, cursor)) }
            }
        }
    }
}
