public import Core
import Postgres

/// Deletes events that are older than a team's retention period.
public struct AuditRetentionStore: Sendable {
    /// Allowed retention periods, in days.
    ///
    /// The minimum is also enforced here by the server's clock, so that the database alone deletes nothing younger.
    public static let days = 30...3650

    private let database: TeamDatabase
    private let keys: SealKeys

    public init(_ database: TeamDatabase, keys: SealKeys) {
        self.database = database
        self.keys = keys
    }

    /// Result of applying the retention period to a team's log.
    public struct Outcome: Sendable {
        /// Number of deleted events.
        public var removed = 0
        /// Position of the last deleted event.
        public var through = 0
        /// The team's retention period in days.
        public var days = 0
        /// Findings among the events due next; that batch and everything after it are kept.
        public var findings: [AuditFinding] = []
    }

    /// Deletes the events older than the team's retention period and stores a signed checkpoint for them.
    ///
    /// Only sealed events are deleted, in the order of their positions, `AuditSealStore.batch` in a transaction; and
    /// only if every seal matches its event and the seal before. A checkpoint states that the log was intact up to it:
    /// signed without verification, it would vouch for changes by an attacker who has the database and not the master
    /// key.
    ///
    /// The first of those transactions also records an event, so that every deletion has one.
    ///
    /// - Throws: `PostgresFailure`.
    @discardableResult public func applyRetention(in team: TeamID, at now: Timestamp = .now()) async throws -> Outcome {
        var total = Outcome()
        var step = Outcome()
        repeat {
            let isFirst = total.removed == 0
            step = try await database.transaction(in: team) { transaction in
                let step = try await applyRetentionOnce(team, at: now, transaction)
                if isFirst, step.removed > 0 { try await tell(step, of: team, transaction) }
                return step
            }
            if step.removed > 0 { (total.through, total.days) = (step.through, step.days) }
            total.removed += step.removed
            total.findings = step.findings
        } while step.removed == AuditSealStore.batch
        return total
    }

    private func tell(_ step: Outcome, of team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        let event = AuditEvent(
            "audit_log.shortened", by: .system("retention"), on: .auditLog(team), from: .local,
            after: ["auditRetentionDays": .integer(Int64(step.days))])
        try await transaction.query(event.insertion(in: team))
    }

    /// Deletes one batch; the chain stays locked until the transaction ends, so that no other process deletes from it.
    private func applyRetentionOnce(_ team: TeamID, at now: Timestamp, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Outcome
    {
        let chain = try await transaction.query(
            "SELECT FROM audit_chains WHERE team_id = \(team) FOR UPDATE SKIP LOCKED")
        guard !chain.isEmpty else { return Outcome() }
        var check = try await beginning(team, transaction)
        let start = check.position
        let days = try await followOld(&check, in: team, at: now, transaction)
        guard check.findings.isEmpty else { return Outcome(findings: check.findings) }
        let checkpoint = check.checkpoint(at: now)
        guard check.position > start,
            let signature = keys.code(of: SealContent(checkpoint, in: team), by: keys.currentID)
        else { return Outcome() }
        try await transaction.query(
            """
            INSERT INTO audit_checkpoints (team_id, position, code, latest_at, made_at, key_id, signature)
            VALUES (
                \(team), \(checkpoint.position), \(checkpoint.code), \(checkpoint.latestAt), \(checkpoint.madeAt),
                \(keys.currentID), \(signature)
            )
            ON CONFLICT (team_id) DO UPDATE
            SET position = excluded.position, code = excluded.code, latest_at = excluded.latest_at,
                made_at = excluded.made_at, key_id = excluded.key_id, signature = excluded.signature
            """)
        let removed = try await transaction.query("SELECT pippin_apply_audit_retention(\(checkpoint.position))")
        guard var row = removed.first else { return Outcome() }
        return Outcome(removed: try row.next(), through: checkpoint.position, days: days)
    }

    /// Starts the check at the beginning of the chain, or after the checkpoint, whose signature it verifies.
    private func beginning(_ team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure)
        -> ChainCheck
    {
        let rows = try await transaction.query(
            """
            SELECT position, code, latest_at, made_at, key_id, signature FROM audit_checkpoints
            WHERE team_id = \(team)
            """)
        guard var row = rows.first else { return ChainCheck(team, keys, after: nil) }
        let checkpoint = Checkpoint(
            position: try row.next(), code: try row.next(), latestAt: try row.next(), madeAt: try row.next())
        var check = ChainCheck(team, keys, after: checkpoint)
        let keyID: String = try row.next()
        check.judge(checkpoint, signature: try row.next(), keyID: keyID)
        return check
    }

    /// Checks the oldest seals and events as long as they are past retention; returns the retention period in days.
    private func followOld(
        _ check: inout ChainCheck, in team: TeamID, at now: Timestamp, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Int {
        let youngest = now - .seconds(Self.days.lowerBound * 86_400)
        let rows = try await transaction.query(
            """
            SELECT t.audit_retention_days, s.at < now() - make_interval(days => t.audit_retention_days),
                s.position, s.at, s.event_id, s.sealed_at, s.key_id, s.code,
                e.event_id IS NOT NULL, \(AuditEntry.bareColumns)
            FROM (
                SELECT * FROM audit_seals WHERE team_id = \(team)
                ORDER BY position
                LIMIT \(AuditSealStore.batch)
            ) AS s
            JOIN teams AS t ON t.team_id = s.team_id
            \(AuditEntry.event(at: "s", in: team))
            ORDER BY s.position
            """)
        var days = 0
        for var row in rows {
            days = try row.next()
            let isOld = try row.next(Bool.self)
            let seal = try Seal(&row)
            guard isOld, seal.place.at < youngest else { return days }
            check.take(seal, try row.next(Bool.self) ? try AuditEntry(&row) : nil)
        }
        return days
    }
}
