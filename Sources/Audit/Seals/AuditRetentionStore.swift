public import Bytes
public import Domain
import Postgres

/// Deletes what a team no longer keeps of its log.
public struct AuditRetentionStore: Sendable {
    private let database: TeamDatabase
    private let keys: SealKeys

    public init(_ database: TeamDatabase, keys: SealKeys) {
        self.database = database
        self.keys = keys
    }

    /// What became of the old events of a team.
    public struct Outcome: Sendable {
        /// How many events were deleted.
        public var removed = 0
        /// What does not fit among those that would be next; nothing is deleted from there on.
        public var findings: [AuditFinding] = []
    }

    /// Deletes the events that are older than the team keeps them, behind a signed checkpoint.
    ///
    /// Only events with a seal go, in the order of their positions, a few hundred in a transaction; and only where
    /// every seal fits its event and the seal before. A checkpoint says that all was well up to there: were it signed
    /// unseen, it would vouch for what somebody did who has the database and not the master key.
    ///
    /// - Throws: `PostgresFailure`.
    @discardableResult
    public func shorten(in team: TeamID, at now: Timestamp = .now()) async throws -> Outcome {
        var total = Outcome()
        var step = Outcome()
        repeat {
            step = try await database.transaction(in: team) { transaction in
                try await shortenOnce(team, at: now, transaction)
            }
            total.removed += step.removed
            total.findings = step.findings
        } while step.removed == AuditSealStore.batch
        if total.removed > 0 {
            let event = AuditEvent(
                "audit_log.shortened",
                by: .system("retention"),
                on: .auditLog(team),
                from: .local,
                after: ["events": .integer(Int64(total.removed))]
            )
            try await database.query(event.insertion(in: team), in: team)
        }
        return total
    }

    /// The chain stays locked meanwhile, so that nobody else shortens it.
    private func shortenOnce(
        _ team: TeamID,
        at now: Timestamp,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Outcome {
        let chain = try await transaction.query(
            "SELECT FROM audit_chains WHERE team_id = \(team) FOR UPDATE SKIP LOCKED"
        )
        guard !chain.isEmpty else { return Outcome() }
        var check = try await beginning(team, transaction)
        let start = check.position
        try await followOld(&check, in: team, transaction)
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
            """
        )
        let removed = try await transaction.query("SELECT pippin_shorten_audit(\(checkpoint.position))")
        guard var row = removed.first else { return Outcome() }
        return Outcome(removed: try row.next())
    }

    /// Where the chain begins, behind the checkpoint if there is one, which has to be ours.
    private func beginning(
        _ team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> ChainCheck {
        let rows = try await transaction.query(
            """
            SELECT position, code, latest_at, made_at, key_id, signature FROM audit_checkpoints
            WHERE team_id = \(team)
            """
        )
        guard var row = rows.first else { return ChainCheck(team, keys, after: nil) }
        let checkpoint = Checkpoint(
            position: try row.next(),
            code: try row.next(),
            latestAt: try row.next(),
            madeAt: try row.next()
        )
        var check = ChainCheck(team, keys, after: checkpoint)
        let keyID: String = try row.next()
        check.judge(checkpoint, signature: try row.next(), keyID: keyID)
        return check
    }

    /// Follows the oldest seals, with their events, as long as they are too old.
    private func followOld(
        _ check: inout ChainCheck,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let rows = try await transaction.query(
            """
            SELECT s.at < now() - make_interval(days => t.audit_retention_days),
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
            """
        )
        for var row in rows {
            guard try row.next(Bool.self) else { return }
            let seal = try Seal(&row)
            check.take(seal, try row.next(Bool.self) ? try AuditEntry(&row) : nil)
        }
    }
}
